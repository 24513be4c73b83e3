"""What is read: a recorded graph as plain records, named, folded and highlighted."""
