/**
 * Registers bodies one by one: Citus caches the plan of a single-row statement, and sends the whole call to the server of its
 * partition. Bodies already registered stay unchanged.
 */
export const registerBodiesFunction = `
CREATE OR REPLACE FUNCTION register_bodies(p_partition smallint, p_digests bytea[], p_versions bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  FOR v_n IN 1..cardinality(p_digests) LOOP
    INSERT INTO bodies (partition, digest, version) VALUES (p_partition, p_digests[v_n], p_versions[v_n])
    ON CONFLICT (partition, digest) DO NOTHING;
  END LOOP;
END $$;`
