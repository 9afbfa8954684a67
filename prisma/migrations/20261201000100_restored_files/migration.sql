CREATE TABLE restored_files (
  path TEXT NOT NULL,
  backup BYTEA NOT NULL,
  CONSTRAINT restored_files_pkey PRIMARY KEY (path)
);
