"""The page and the REST service: a face on `antifaz.projects`, guarded by a session. It needs the extra `web`."""
