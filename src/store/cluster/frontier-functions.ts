/**
 * What is done to a partition's frontier in one go: one call, one partition, one transaction. Each begins with the lock of the
 * partition's row in `frontiers`, after the fence where there is one.
 *
 * The planner is kept from walking through tables: statements are planned while the tables are empty and used when they are not.
 * Whatever is looked up for a list of keys is looked up key by key in the index (LATERAL with LIMIT).
 */
const settings = `LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off`

const lock = `
CREATE FUNCTION frontier_lock(p_partition smallint, p_run bigint) RETURNS frontiers LANGUAGE plpgsql AS $$
DECLARE
  f frontiers;
BEGIN
  SELECT * INTO f FROM frontiers WHERE partition = p_partition FOR NO KEY UPDATE;
  IF f.run < p_run THEN
    f.run := p_run;
    f.seen := 0;
    f.given_up := 0;
  END IF;
  RETURN f;
END $$;

CREATE FUNCTION frontier_save(f frontiers) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE frontiers SET run = f.run, seq = f.seq, last_host = f.last_host, queued = f.queued, seen = f.seen, hosts = f.hosts,
    waiting = f.waiting, given_up = f.given_up WHERE partition = f.partition;
END $$;`

/**
 * Hosts and parents are named once and referred to by their places (from 1); so are errands, 0 for none. `p_keys` are what offers are
 * recognised by, and may be left out where they are the fingerprints. No key may come twice for a host. Accepted offers get numbers
 * behind `before` in their order. Hosts that an earlier run left are made ready for this one first.
 */
const offer = `
CREATE FUNCTION frontier_offer(
  p_partition smallint, p_run bigint, p_max_urls bigint, p_hosts text[], p_revived text[], p_parents text[],
  p_watches bigint[], p_rounds bigint[], p_fresh_from bigint[], p_since bigint[], p_first boolean[],
  p_host int[], p_parent int[], p_errand int[], p_fp bigint[], p_keys bigint[], p_depth int[], p_hops int[],
  p_redirects int[], p_priority bigint[], p_url text[]
) RETURNS json ${settings} AS $$
DECLARE
  f frontiers := frontier_lock(p_partition, p_run);
  v_run bigint := f.run;
  v_before bigint := f.seq;
  v_count bigint;
  v_ids bigint[];
  v_accepted bigint[];
  v_given_up boolean[];
  v_answer json;
  v_placed bigint;
  v_fresh bigint;
  v_woken bigint;
BEGIN
  INSERT INTO hosts (partition, id, host, run)
  SELECT p_partition, (f.last_host + row_number() OVER (ORDER BY n)) * 256 + p_partition, host, v_run
  FROM unnest(p_hosts) WITH ORDINALITY AS given (host, n)
  WHERE NOT EXISTS (SELECT FROM hosts h WHERE h.partition = p_partition AND h.host = given.host);
  GET DIAGNOSTICS v_count = ROW_COUNT;
  f.last_host := f.last_host + v_count;
  f.hosts := f.hosts + v_count;
  UPDATE hosts SET run = v_run, accepted = 0, given_up = false, failures = 0, rests = 0
  WHERE partition = p_partition AND host = ANY(p_hosts) AND run <> v_run;
  IF cardinality(p_revived) > 0 THEN
    UPDATE hosts SET given_up = false, failures = 0, rests = 0
    WHERE partition = p_partition AND host = ANY(p_revived) AND given_up;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    f.given_up := f.given_up - v_count;
  END IF;
  SELECT array_agg(h.id ORDER BY n), array_agg(h.accepted ORDER BY n), array_agg(h.given_up ORDER BY n)
  INTO v_ids, v_accepted, v_given_up
  FROM unnest(p_hosts) WITH ORDINALITY AS given (host, n) CROSS JOIN LATERAL (
    SELECT id, accepted, given_up FROM hosts WHERE partition = p_partition AND hosts.host = given.host LIMIT 1) h;

  WITH given AS (
    SELECT n, v_ids[host] AS host, host AS place, parent, fp, coalesce(key, fp) AS key, depth, hops, redirects, priority, url,
      coalesce(p_watches[errand], 0) AS watch, coalesce(p_rounds[errand], v_run) AS seen_in, coalesce(errand, 0) AS errand
    FROM unnest(p_host, p_parent, p_errand, p_fp, p_keys, p_depth, p_hops, p_redirects, p_priority, p_url)
      WITH ORDINALITY AS o (host, parent, errand, fp, key, depth, hops, redirects, priority, url, n)
  ), judged AS (
    SELECT given.*, (s.run IS NULL OR s.run <> given.seen_in) AS fresh
    FROM given LEFT JOIN LATERAL (
      SELECT run, depth FROM seen WHERE partition = p_partition AND seen.host = given.host AND seen.fp = given.key LIMIT 1
    ) s ON true
    WHERE s.run IS NULL OR s.run <> given.seen_in OR s.depth < given.depth
  ), decided AS (
    SELECT judged.*, NOT (v_given_up[place] OR (watch = 0 AND v_accepted[place] - fresh::int
      + count(*) FILTER (WHERE fresh) OVER (PARTITION BY place ORDER BY n) >= p_max_urls)) AS welcome
    FROM judged
  ), noted AS (
    INSERT INTO seen (partition, host, fp, run, depth)
    SELECT p_partition, host, key, seen_in, depth FROM decided WHERE welcome
    ON CONFLICT (partition, host, fp) DO UPDATE SET run = excluded.run, depth = excluded.depth
  ), placed AS (
    INSERT INTO queue (partition, seq, host, priority, fp, watch, round, fresh_from, since, first, depth, hops, redirects,
      attempts, url, parent)
    SELECT p_partition, v_before + row_number() OVER (ORDER BY n), host, priority, fp, watch, coalesce(p_rounds[errand], 0),
      coalesce(p_fresh_from[errand], 0), coalesce(p_since[errand], 0), coalesce(p_first[errand], false), depth, hops,
      redirects, 0, url, p_parents[parent]
    FROM decided WHERE welcome
  ), changed AS (
    SELECT host, count(*) AS more, count(*) FILTER (WHERE fresh) AS fresh FROM decided WHERE welcome GROUP BY host
  ), counted AS (
    UPDATE hosts h SET queued = h.queued + changed.more, accepted = h.accepted + changed.fresh
    FROM changed WHERE h.partition = p_partition AND h.id = changed.host
    RETURNING h.id, h.host, h.queued, h.next_at, h.failures, h.rests, changed.more, changed.fresh
  )
  SELECT (SELECT coalesce(sum(more), 0) FROM counted), (SELECT coalesce(sum(fresh), 0) FROM counted),
    (SELECT count(*) FROM counted WHERE queued = more),
    json_build_object(
      'accepted', (SELECT coalesce(json_agg(n ORDER BY n), '[]') FROM decided WHERE welcome),
      'limited', (SELECT coalesce(json_agg(n), '[]') FROM decided WHERE NOT welcome),
      'hosts', (SELECT coalesce(json_agg(json_build_array(id, host, queued, next_at, failures, rests)), '[]') FROM counted))
  INTO v_placed, v_fresh, v_woken, v_answer;
  f.seq := f.seq + v_placed;
  f.queued := f.queued + v_placed;
  f.seen := f.seen + v_fresh;
  f.waiting := f.waiting + v_woken;
  PERFORM frontier_save(f);
  RETURN json_build_object('before', v_before, 'facts', row_to_json(f), 'offered', v_answer);
END $$;`

/** Rows that are not there are no fault: the host was given up, or this is a repetition. `moved`: old and new numbers. */
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
  f := frontier_lock(p_partition, p_run);
  v_before := f.seq;
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
  PERFORM frontier_save(f);
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
  f := frontier_lock(p_partition, p_run);
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
  PERFORM frontier_save(f);
  RETURN json_build_object('before', f.seq, 'facts', row_to_json(f), 'gone', v_gone, 'watches', v_watches);
END $$;`

export const frontierFunctions = [lock, offer, settle, giveUp].join('\n')
