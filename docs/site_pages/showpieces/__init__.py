"""Pages that compute, made of what any user has: `fast.javascript`'s translation, and a page around it."""
