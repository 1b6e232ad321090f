import { offerFunction } from '../frontier/frontier-offer-function.ts'

/**
 * Functions that Citus can plan; the plan cache mode is now set per connection. `stored_bytes` is the size of the whole database or of
 * one table; with Citus, on all servers that can be reached.
 */
export const distributedSchema = `${offerFunction}
ALTER FUNCTION frontier_settle RESET plan_cache_mode;
ALTER FUNCTION frontier_give_up RESET plan_cache_mode;
CREATE FUNCTION stored_bytes(p_table text DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_size text := format('pg_total_relation_size(%L)', p_table);
  v_bytes bigint;
BEGIN
  IF p_table IS NULL THEN
    v_size := 'pg_database_size(current_database())';
  END IF;
  EXECUTE 'SELECT ' || v_size INTO v_bytes;
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    IF p_table IS NULL THEN
      SELECT v_bytes + coalesce(sum(result::bigint), 0) INTO v_bytes
      FROM run_command_on_workers('SELECT ' || v_size) WHERE success;
    ELSE
      SELECT v_bytes + coalesce(sum(result::bigint), 0) INTO v_bytes
      FROM run_command_on_shards(p_table, $shard$SELECT pg_total_relation_size('%s')$shard$) WHERE success;
    END IF;
  END IF;
  RETURN v_bytes;
END $$
`
