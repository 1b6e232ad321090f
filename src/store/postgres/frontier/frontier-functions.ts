/**
 * Functions on a partition's frontier: one call, one partition, one transaction. Each first locks the partition's row in `frontiers`,
 * after the fence if it has one.
 *
 * The planner is kept from scanning tables: statements are planned while the tables are empty and used when they are not.
 * Lists of keys are looked up key by key in the index (LATERAL with LIMIT).
 *
 * These are the functions of the first schema. `frontier_offer` and `frontier_settle` have been replaced since
 * (frontier-offer-by-key.ts, frontier-settle-by-key.ts).
 */
const settings = `LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off`

/** The first call with a later run begins it: nothing has been seen in it yet. */
export const lock = `SELECT * INTO f FROM frontiers WHERE partition = p_partition FOR NO KEY UPDATE;
  IF f.run < p_run THEN
    f.run := p_run;
    f.seen := 0;
    f.given_up := 0;
  END IF;
  v_before := f.seq;`

export const save = `UPDATE frontiers SET run = f.run, seq = f.seq, last_host = f.last_host, queued = f.queued, seen = f.seen,
    hosts = f.hosts, waiting = f.waiting, given_up = f.given_up WHERE partition = p_partition;`

/** Offers as rows, each with `was`: the run or round that last saw its link. Leaves out links seen in this one at no less depth. */
export const judged = `
    SELECT o.n, o.host AS place, v_ids[o.host] AS host, o.parent, o.fp, coalesce(o.key, o.fp) AS key, o.depth, o.hops, o.redirects,
      o.priority, o.url, coalesce(o.errand, 0) AS errand, coalesce(p_rounds[o.errand], f.run) AS seen_in, s.run AS was
    FROM unnest(p_host, p_parent, p_errand, p_fp, p_keys, p_depth, p_hops, p_redirects, p_priority, p_url)
      WITH ORDINALITY AS o (host, parent, errand, fp, key, depth, hops, redirects, priority, url, n)
    LEFT JOIN LATERAL (
      SELECT run, depth FROM seen
      WHERE partition = p_partition AND seen.host = v_ids[o.host] AND seen.fp = coalesce(o.key, o.fp) LIMIT 1
    ) s ON true
    WHERE s.run IS NULL OR s.run <> coalesce(p_rounds[o.errand], f.run) OR s.depth < o.depth`

/**
 * Hosts and parents are listed once and referred to by index (from 1); so are errands, with 0 for none. `p_keys` identify offers, and may
 * be empty if they equal the fingerprints. A key must not occur twice for a host. The nth offer gets the nth number after `before`, if it
 * is accepted. Hosts that are new, left from an earlier run or to be revived are updated first.
 */
export const offerParameters = `  p_partition smallint, p_run bigint, p_max_urls bigint, p_hosts text[], p_revived text[], p_parents text[],
  p_watches bigint[], p_rounds bigint[], p_fresh_from bigint[], p_since bigint[], p_first boolean[],
  p_host int[], p_parent int[], p_errand int[], p_fp bigint[], p_keys bigint[], p_depth int[], p_hops int[],
  p_redirects int[], p_priority bigint[], p_url text[]`

/** Adds or updates the hosts of offers (`v_ids`), and finds the offers to refuse (`v_refused`). */
export const hostsOfOffers = `  LOOP
    SELECT array_agg(h.id ORDER BY n), array_agg(h.accepted ORDER BY n), array_agg(h.given_up ORDER BY n),
      bool_or(h.id IS NULL OR h.run <> f.run), bool_or(h.given_up OR h.accepted + cardinality(p_url) > p_max_urls)
    INTO v_ids, v_accepted, v_given_up, v_unready, v_tight
    FROM unnest(p_hosts) WITH ORDINALITY AS given (host, n) LEFT JOIN LATERAL (
      SELECT id, run, accepted, given_up FROM hosts WHERE partition = p_partition AND hosts.host = given.host LIMIT 1
    ) h ON true;
    EXIT WHEN NOT v_unready AND NOT v_revives;
    INSERT INTO hosts (partition, id, host, run)
    SELECT p_partition, (f.last_host + row_number() OVER (ORDER BY n)) * 256 + p_partition, host, f.run
    FROM unnest(p_hosts) WITH ORDINALITY AS given (host, n) WHERE v_ids[n] IS NULL;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    f.last_host := f.last_host + v_count;
    f.hosts := f.hosts + v_count;
    UPDATE hosts SET run = f.run, accepted = 0, given_up = false, failures = 0, rests = 0
    WHERE partition = p_partition AND host = ANY(p_hosts) AND run <> f.run;
    UPDATE hosts SET given_up = false, failures = 0, rests = 0
    WHERE partition = p_partition AND host = ANY(p_revived) AND given_up;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    f.given_up := f.given_up - v_count;
    v_revives := false;
  END LOOP;
  IF v_tight THEN
    SELECT coalesce(array_agg(n), '{}') INTO v_refused FROM (
      SELECT n, v_given_up[place] OR (coalesce(p_watches[errand], 0) = 0 AND v_accepted[place] - fresh::int
        + count(*) FILTER (WHERE fresh) OVER (PARTITION BY place ORDER BY n) >= p_max_urls) AS refused
      FROM (SELECT *, was IS NULL OR was <> seen_in AS fresh FROM (${judged}) j) k
    ) r WHERE refused;
  END IF;`

const offer = `
CREATE FUNCTION frontier_offer(
${offerParameters}
) RETURNS json ${settings} AS $$
DECLARE
  f frontiers;
  v_before bigint;
  v_count bigint;
  v_ids bigint[];
  v_accepted bigint[];
  v_given_up boolean[];
  v_unready boolean;
  v_tight boolean;
  v_revives boolean := cardinality(p_revived) > 0;
  v_refused bigint[] := '{}';
  v_welcome bigint[];
  v_known bigint[];
  v_hosts json;
  v_fresh bigint;
  v_woken bigint;
BEGIN
  ${lock}
${hostsOfOffers}
  WITH judged AS MATERIALIZED (${judged}), welcome AS MATERIALIZED (
    SELECT * FROM judged WHERE NOT n = ANY(v_refused)
  ), noted AS (
    INSERT INTO seen (partition, host, fp, run, depth)
    SELECT p_partition, host, key, seen_in, depth FROM welcome WHERE was IS NULL
  ), placed AS (
    INSERT INTO queue (partition, seq, host, priority, fp, watch, round, fresh_from, since, first, depth, hops, redirects,
      attempts, url, parent)
    SELECT p_partition, v_before + n, host, priority, fp, coalesce(p_watches[errand], 0), coalesce(p_rounds[errand], 0),
      coalesce(p_fresh_from[errand], 0), coalesce(p_since[errand], 0), coalesce(p_first[errand], false), depth, hops,
      redirects, 0, url, p_parents[parent]
    FROM welcome
  ), counted AS (
    UPDATE hosts h SET queued = h.queued + changed.more, accepted = h.accepted + changed.fresh
    FROM (
      SELECT host, count(*) AS more, count(*) FILTER (WHERE was IS NULL OR was <> seen_in) AS fresh FROM welcome GROUP BY host
    ) changed WHERE h.partition = p_partition AND h.id = changed.host
    RETURNING h.id, h.host, h.queued, h.next_at, h.failures, h.rests, changed.more, changed.fresh
  ), answered AS (
    SELECT json_agg(json_build_array(id, host, queued, next_at, failures, rests)) AS hosts, sum(fresh) AS fresh,
      count(*) FILTER (WHERE queued = more) AS woken FROM counted
  ), listed AS (
    SELECT array_agg(n) AS welcome, array_agg(n) FILTER (WHERE was IS NOT NULL) AS known FROM welcome
  )
  SELECT answered.hosts, coalesce(fresh, 0), woken, coalesce(listed.welcome, '{}'), listed.known
  INTO v_hosts, v_fresh, v_woken, v_welcome, v_known FROM answered, listed;
  IF v_known IS NOT NULL THEN
    UPDATE seen SET run = coalesce(p_rounds[o.errand], f.run), depth = o.depth
    FROM unnest(p_host, p_errand, p_fp, p_keys, p_depth) WITH ORDINALITY AS o (host, errand, fp, key, depth, n)
    WHERE seen.partition = p_partition AND seen.host = v_ids[o.host] AND seen.fp = coalesce(o.key, o.fp) AND o.n = ANY(v_known);
  END IF;
  -- The numbers of those that were not accepted stay unused.
  f.seq := f.seq + CASE WHEN cardinality(v_welcome) > 0 THEN cardinality(p_url) ELSE 0 END;
  f.queued := f.queued + cardinality(v_welcome);
  f.seen := f.seen + v_fresh;
  f.waiting := f.waiting + v_woken;
  ${save}
  RETURN json_build_object('before', v_before, 'facts', row_to_json(f), 'offered',
    json_build_object('accepted', v_welcome, 'limited', v_refused, 'hosts', coalesce(v_hosts, '[]')));
END $$;`

/** Missing rows are no error: the host was given up, or the call is repeated. `moved`: old and new numbers. */
const settle = `
CREATE FUNCTION frontier_settle(
  p_partition smallint, p_epoch bigint, p_run bigint, p_done bigint[], p_again bigint[], p_attempts int[],
  p_clocks bigint[], p_next_at bigint[], p_failures int[], p_rests int[]
) RETURNS json ${settings} AS $$
DECLARE
  f frontiers;
  v_before bigint;
  v_gone bigint;
  v_emptied bigint;
  v_moved json := '[]';
  v_hosts json := '[]';
  v_watches json;
BEGIN
  PERFORM fence(p_partition, p_epoch);
  ${lock}
  IF cardinality(p_again) > 0 THEN
    WITH moved AS (
      UPDATE queue q SET seq = v_before + a.n, attempts = a.attempts
      FROM unnest(p_again, p_attempts) WITH ORDINALITY AS a (seq, attempts, n)
      WHERE q.partition = p_partition AND q.seq = a.seq AND NOT EXISTS (
        SELECT FROM hosts h WHERE h.partition = p_partition AND h.id = q.host AND h.given_up AND h.run = f.run)
      RETURNING a.seq AS was, q.seq AS seq
    )
    SELECT coalesce(json_agg(json_build_array(was, seq)), '[]') INTO v_moved FROM moved;
    f.seq := f.seq + cardinality(p_again);
  END IF;
  WITH gone AS (
    DELETE FROM queue WHERE partition = p_partition AND seq = ANY(p_done || p_again) RETURNING host, watch
  ), changed AS (
    SELECT host, sum(n) AS n, max(next_at) AS next_at, max(failures) AS failures, max(rests) AS rests FROM (
      SELECT host, 1 AS n, NULL::bigint AS next_at, NULL::int AS failures, NULL::int AS rests FROM gone
      UNION ALL
      SELECT id, 0, next_at, failures, rests FROM unnest(p_clocks, p_next_at, p_failures, p_rests)
        AS c (id, next_at, failures, rests)
    ) each GROUP BY host
  ), counted AS (
    UPDATE hosts h SET run = f.run, queued = h.queued - c.n, next_at = coalesce(c.next_at, h.next_at),
      accepted = CASE WHEN h.run = f.run THEN h.accepted ELSE 0 END,
      given_up = h.given_up AND h.run = f.run,
      failures = coalesce(c.failures, CASE WHEN h.run = f.run THEN h.failures ELSE 0 END),
      rests = coalesce(c.rests, CASE WHEN h.run = f.run THEN h.rests ELSE 0 END)
    FROM changed c WHERE h.partition = p_partition AND h.id = c.host
    RETURNING h.queued, c.n
  )
  SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM counted WHERE n > 0 AND queued = 0),
    (SELECT coalesce(json_agg(json_build_array(watch, n)), '[]')
     FROM (SELECT watch, count(*) AS n FROM gone WHERE watch > 0 GROUP BY watch) each)
  INTO v_gone, v_emptied, v_watches;
  f.queued := f.queued - v_gone;
  f.waiting := f.waiting - v_emptied;
  ${save}
  IF json_array_length(v_moved) > 0 THEN
    SELECT coalesce(json_agg(json_build_array(h.id, h.host, h.queued, h.next_at, h.failures, h.rests)), '[]') INTO v_hosts
    FROM hosts h WHERE h.partition = p_partition AND h.id IN (
      SELECT q.host FROM queue q WHERE q.partition = p_partition AND q.seq > v_before);
  END IF;
  RETURN json_build_object('before', v_before, 'facts', row_to_json(f), 'gone', v_gone, 'watches', v_watches,
    'moved', v_moved, 'hosts', v_hosts);
END $$;`

const giveUp = `
CREATE FUNCTION frontier_give_up(p_partition smallint, p_epoch bigint, p_run bigint, p_host bigint)
RETURNS json ${settings} AS $$
DECLARE
  f frontiers;
  v_before bigint;
  v_was boolean;
  v_gone bigint;
  v_watches json;
BEGIN
  PERFORM fence(p_partition, p_epoch);
  ${lock}
  SELECT given_up AND run = f.run INTO v_was FROM hosts WHERE partition = p_partition AND id = p_host;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  WITH gone AS (
    DELETE FROM queue WHERE partition = p_partition AND host = p_host RETURNING watch
  )
  SELECT (SELECT count(*) FROM gone), (SELECT coalesce(json_agg(json_build_array(watch, n)), '[]')
    FROM (SELECT watch, count(*) AS n FROM gone WHERE watch > 0 GROUP BY watch) each)
  INTO v_gone, v_watches;
  UPDATE hosts SET run = f.run, given_up = true, queued = 0, accepted = CASE WHEN run = f.run THEN accepted ELSE 0 END,
    failures = CASE WHEN run = f.run THEN failures ELSE 0 END, rests = CASE WHEN run = f.run THEN rests ELSE 0 END
  WHERE partition = p_partition AND id = p_host;
  f.queued := f.queued - v_gone;
  IF v_gone > 0 THEN
    f.waiting := f.waiting - 1;
  END IF;
  IF NOT v_was THEN
    f.given_up := f.given_up + 1;
  END IF;
  ${save}
  RETURN json_build_object('before', f.seq, 'facts', row_to_json(f), 'gone', v_gone, 'watches', v_watches);
END $$;`

export const frontierFunctions = [offer, settle, giveUp].join('\n')
