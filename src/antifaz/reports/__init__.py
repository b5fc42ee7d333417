"""What people read: reports, pages, charts and PDF, made from the evidence."""
