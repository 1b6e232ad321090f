import { hostsOfOffers, lock, offerParameters, save } from './frontier-functions.ts'

/**
 * `frontier_offer` in statements that each write one table and name one partition: Citus can run those on one server without moving
 * rows. There the whole function runs on the server that has the partition.
 *
 * `v_states` says for each offer: 0 not accepted, 1 its link is new, 2 it was seen in an earlier run or round, 3 it was seen with less
 * depth. Everything else follows from that and from the parameters.
 *
 * A later migration replaced it (frontier-offer-by-key.ts).
 */
const settings = `LANGUAGE plpgsql SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off`

/** Accepted offers per host. */
const changes = `(
      SELECT v_ids[o.host] AS host, count(*) AS more, count(*) FILTER (WHERE o.state < 3) AS fresh
      FROM unnest(p_host, v_states) AS o (host, state) WHERE o.state > 0 GROUP BY 1
    )`

export const offerFunction = `
CREATE OR REPLACE FUNCTION frontier_offer(
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
  v_states smallint[];
  v_hosts json;
  v_fresh bigint;
  v_woken bigint;
BEGIN
  ${lock}
${hostsOfOffers}
  SELECT array_agg(CASE WHEN o.n = ANY(v_refused) THEN 0 WHEN s.run IS NULL THEN 1
    WHEN s.run <> coalesce(p_rounds[o.errand], f.run) THEN 2 WHEN s.depth < o.depth THEN 3 ELSE 0 END ORDER BY o.n)
  INTO v_states
  FROM unnest(p_host, p_errand, p_fp, p_keys, p_depth) WITH ORDINALITY AS o (host, errand, fp, key, depth, n)
  LEFT JOIN LATERAL (
    SELECT run, depth FROM seen
    WHERE partition = p_partition AND seen.host = v_ids[o.host] AND seen.fp = coalesce(o.key, o.fp) LIMIT 1
  ) s ON true;
  SELECT coalesce(array_agg(n), '{}'), count(*) FILTER (WHERE state < 3) INTO v_welcome, v_fresh
  FROM unnest(v_states) WITH ORDINALITY AS o (state, n) WHERE state > 0;
  IF cardinality(v_welcome) > 0 THEN
    INSERT INTO seen (partition, host, fp, run, depth)
    SELECT p_partition, v_ids[o.host], coalesce(o.key, o.fp), coalesce(p_rounds[o.errand], f.run), o.depth
    FROM unnest(p_host, p_errand, p_fp, p_keys, p_depth, v_states) AS o (host, errand, fp, key, depth, state)
    WHERE o.state = 1;
    IF 2 = ANY(v_states) OR 3 = ANY(v_states) THEN
      UPDATE seen SET run = coalesce(p_rounds[o.errand], f.run), depth = o.depth
      FROM unnest(p_host, p_errand, p_fp, p_keys, p_depth, v_states) AS o (host, errand, fp, key, depth, state)
      WHERE seen.partition = p_partition AND seen.host = v_ids[o.host] AND seen.fp = coalesce(o.key, o.fp) AND o.state > 1;
    END IF;
    INSERT INTO queue (partition, seq, host, priority, fp, watch, round, fresh_from, since, first, depth, hops, redirects,
      attempts, url, parent)
    SELECT p_partition, v_before + o.n, v_ids[o.host], o.priority, o.fp, coalesce(p_watches[o.errand], 0),
      coalesce(p_rounds[o.errand], 0), coalesce(p_fresh_from[o.errand], 0), coalesce(p_since[o.errand], 0),
      coalesce(p_first[o.errand], false), o.depth, o.hops, o.redirects, 0, o.url, p_parents[o.parent]
    FROM unnest(p_host, p_parent, p_errand, p_fp, p_depth, p_hops, p_redirects, p_priority, p_url, v_states)
      WITH ORDINALITY AS o (host, parent, errand, fp, depth, hops, redirects, priority, url, state, n)
    WHERE o.state > 0;
    UPDATE hosts h SET queued = h.queued + c.more, accepted = h.accepted + c.fresh
    FROM ${changes} c WHERE h.partition = p_partition AND h.id = c.host;
    SELECT json_agg(json_build_array(h.id, h.host, h.queued, h.next_at, h.failures, h.rests)),
      count(*) FILTER (WHERE h.queued = c.more)
    INTO v_hosts, v_woken
    FROM ${changes} c JOIN hosts h ON h.id = c.host WHERE h.partition = p_partition;
    -- The numbers of those that were not accepted stay unused.
    f.seq := f.seq + cardinality(p_url);
    f.queued := f.queued + cardinality(v_welcome);
    f.seen := f.seen + v_fresh;
    f.waiting := f.waiting + v_woken;
  END IF;
  ${save}
  RETURN json_build_object('before', v_before, 'facts', row_to_json(f), 'offered',
    json_build_object('accepted', v_welcome, 'limited', v_refused, 'hosts', coalesce(v_hosts, '[]')));
END $$;`
