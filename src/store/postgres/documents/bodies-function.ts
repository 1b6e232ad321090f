/**
 * Registers bodies, one by one: Citus keeps the plan of a statement for one row, and sends the whole call to the server of its
 * partition. Those that are registered already stay as they are.
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
