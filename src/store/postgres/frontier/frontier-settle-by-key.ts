import { lock, save } from './frontier-functions.ts'

/**
 * Settles completed requests, in statements that each read or change one table by one key (see frontier-offer-by-key.ts). Missing rows
 * are no error: the host was given up, or the call is repeated. `moved`: old and new numbers of requests to retry.
 *
 * `frontier_settle` begins with the fence. If tables are distributed, the fence is on another server: the caller then checks the lease
 * itself and calls `frontier_complete` in the same transaction, which Citus sends to the server of its partition.
 */
const settings = 'LANGUAGE plpgsql SET enable_seqscan = off SET enable_nestloop = off'

const moveAgain = `
  FOR v_n IN 1..cardinality(p_again) LOOP
    SELECT host INTO v_host FROM queue WHERE partition = p_partition AND seq = p_again[v_n];
    CONTINUE WHEN NOT FOUND;
    SELECT given_up AND run = f.run INTO v_given_up FROM hosts WHERE partition = p_partition AND id = v_host;
    CONTINUE WHEN v_given_up;
    UPDATE queue SET seq = v_before + v_n, attempts = p_attempts[v_n] WHERE partition = p_partition AND seq = p_again[v_n];
    v_moved := v_moved || json_build_array(p_again[v_n], v_before + v_n);
    v_moved_hosts := v_moved_hosts || v_host;
  END LOOP;
  f.seq := f.seq + cardinality(p_again);`

export const settleByKey = `
CREATE OR REPLACE FUNCTION frontier_complete(
  p_partition smallint, p_run bigint, p_done bigint[], p_again bigint[], p_attempts int[],
  p_clocks bigint[], p_next_at bigint[], p_failures int[], p_rests int[]
) RETURNS json ${settings} AS $$
DECLARE
  f frontiers;
  v_before bigint;
  v_n bigint;
  v_host bigint;
  v_watch bigint;
  v_given_up boolean;
  v_queued bigint;
  v_next_at bigint;
  v_failures int;
  v_rests int;
  v_moved json[] := '{}';
  v_moved_hosts bigint[] := '{}';
  v_gone_hosts bigint[] := '{}';
  v_gone_watches bigint[] := '{}';
  v_watches json;
  v_hosts json;
BEGIN
  ${lock}
${moveAgain}
  FOR v_host, v_watch IN
    DELETE FROM queue WHERE partition = p_partition AND seq = ANY(p_done || p_again) RETURNING host, watch
  LOOP
    v_gone_hosts := v_gone_hosts || v_host;
    v_gone_watches := v_gone_watches || v_watch;
  END LOOP;
  f.queued := f.queued - cardinality(v_gone_hosts);
  FOR v_host, v_n, v_next_at, v_failures, v_rests IN
    SELECT host, sum(n), max(next_at), max(failures), max(rests) FROM (
      SELECT host, 1 AS n, NULL::bigint AS next_at, NULL::int AS failures, NULL::int AS rests FROM unnest(v_gone_hosts) AS g (host)
      UNION ALL
      SELECT host, 0, next_at, failures, rests FROM unnest(p_clocks, p_next_at, p_failures, p_rests)
        AS c (host, next_at, failures, rests)
    ) each GROUP BY host
  LOOP
    UPDATE hosts SET run = f.run, queued = queued - v_n, next_at = coalesce(v_next_at, next_at),
      accepted = CASE WHEN run = f.run THEN accepted ELSE 0 END,
      given_up = given_up AND run = f.run,
      failures = coalesce(v_failures, CASE WHEN run = f.run THEN failures ELSE 0 END),
      rests = coalesce(v_rests, CASE WHEN run = f.run THEN rests ELSE 0 END)
    WHERE partition = p_partition AND id = v_host RETURNING queued INTO v_queued;
    IF FOUND AND v_n > 0 AND v_queued = 0 THEN
      f.waiting := f.waiting - 1;
    END IF;
  END LOOP;
  ${save}
  SELECT coalesce(json_agg(json_build_array(watch, n)), '[]') INTO v_watches
  FROM (SELECT watch, count(*) AS n FROM unnest(v_gone_watches) AS g (watch) WHERE watch > 0 GROUP BY watch) each;
  IF cardinality(v_moved) > 0 THEN
    SELECT json_agg(json_build_array(id, host, queued, next_at, failures, rests)) INTO v_hosts
    FROM hosts WHERE partition = p_partition AND id = ANY(v_moved_hosts);
  END IF;
  RETURN json_build_object('before', v_before, 'facts', row_to_json(f), 'gone', cardinality(v_gone_hosts), 'watches', v_watches,
    'moved', to_json(v_moved), 'hosts', coalesce(v_hosts, '[]'));
END $$;

CREATE OR REPLACE FUNCTION frontier_settle(
  p_partition smallint, p_epoch bigint, p_run bigint, p_done bigint[], p_again bigint[], p_attempts int[],
  p_clocks bigint[], p_next_at bigint[], p_failures int[], p_rests int[]
) RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  PERFORM fence(p_partition, p_epoch);
  RETURN frontier_complete(p_partition, p_run, p_done, p_again, p_attempts, p_clocks, p_next_at, p_failures, p_rests);
END $$;`
