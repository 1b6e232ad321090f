export const channelsSchema = `
CREATE TABLE channels (
  id text COLLATE "C" PRIMARY KEY,
  owner text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  settings text NOT NULL,
  created_at bigint NOT NULL,
  state text NOT NULL,
  reason text NOT NULL,
  failures int NOT NULL,
  retry_at bigint NOT NULL,
  sent_at bigint NOT NULL
);
CREATE INDEX channels_owner ON channels (owner, created_at)
`

export const credentialsSchema = `
CREATE TABLE credentials (
  id text COLLATE "C" PRIMARY KEY,
  owner text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  hint text NOT NULL,
  sealed bytea NOT NULL,
  created_at bigint NOT NULL,
  changed_at bigint NOT NULL,
  used_at bigint NOT NULL,
  failed_since bigint NOT NULL,
  failure text NOT NULL,
  failures int NOT NULL,
  retry_at bigint NOT NULL
);
CREATE INDEX credentials_owner ON credentials (owner, name)
`

/** Waiting outbox entries have no due time yet. Nothing had been sent before this migration. */
export const deliveriesSchema = `
DELETE FROM outbox WHERE state <> 'waiting';
DROP INDEX outbox_due;
DROP INDEX outbox_created;
ALTER TABLE outbox DROP COLUMN state, DROP COLUMN attempts, DROP COLUMN next_at, DROP COLUMN reason,
  ADD COLUMN due_at bigint, ADD COLUMN message text COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX outbox_unplanned ON outbox (annotation, channel) WHERE due_at IS NULL;
CREATE INDEX outbox_waiting ON outbox (channel, annotation) INCLUDE (due_at) WHERE due_at IS NOT NULL AND message = '';
CREATE TABLE messages (
  id text COLLATE "C" PRIMARY KEY,
  channel text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  state text COLLATE "C" NOT NULL,
  subject text NOT NULL,
  annotations text NOT NULL,
  profiles text NOT NULL,
  left_out int NOT NULL,
  created_at bigint NOT NULL,
  attempts int NOT NULL,
  at bigint NOT NULL,
  answer text NOT NULL
);
CREATE INDEX messages_owner ON messages (owner, created_at, id);
CREATE INDEX messages_unsent ON messages (owner, state, created_at, id) WHERE state <> 'sent';
CREATE INDEX messages_channel ON messages (channel, created_at, id);
CREATE INDEX messages_sent ON messages (channel, at) WHERE state = 'sent';
CREATE INDEX messages_created ON messages (created_at);
ALTER TABLE channels ADD COLUMN next_at bigint, ADD COLUMN lease_until bigint NOT NULL DEFAULT 0,
  ADD COLUMN lease_epoch bigint NOT NULL DEFAULT 0;
CREATE INDEX channels_next ON channels (next_at, id) WHERE next_at IS NOT NULL AND state <> 'off'
`
