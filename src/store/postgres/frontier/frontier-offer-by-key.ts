import { lock, offerParameters, save } from './frontier-functions.ts'

/**
 * `frontier_offer` in statements that each read the rows of one key from one table, or write one table. Citus caches the plans of the
 * former, and replans joins each time; PostgreSQL has hardly more to do, as offers to a partition lead to few hosts. Joins use arrays
 * only.
 *
 * `v_states` says for each offer: 0 not accepted, 1 its link is new, 2 it was seen in an earlier run or round, 3 it was seen with less
 * depth. Everything else follows from that and from the parameters. Offers of one host should be adjacent: each run of them is looked up
 * by one statement.
 */
const settings = `LANGUAGE plpgsql SET enable_seqscan = off SET enable_nestloop = off`

/** Adds new hosts, resets those left from an earlier run, and revives those given up. */
const seeToHosts = `
  FOR v_place IN 1..cardinality(p_hosts) LOOP
    SELECT id, run, accepted, given_up INTO h.id, h.run, h.accepted, h.given_up
    FROM hosts WHERE partition = p_partition AND host = p_hosts[v_place];
    IF NOT FOUND THEN
      f.last_host := f.last_host + 1;
      f.hosts := f.hosts + 1;
      h.id := f.last_host * 256 + p_partition;
      h.accepted := 0;
      h.given_up := false;
      INSERT INTO hosts (partition, id, host, run) VALUES (p_partition, h.id, p_hosts[v_place], f.run);
    ELSIF h.run <> f.run THEN
      h.accepted := 0;
      h.given_up := false;
      UPDATE hosts SET run = f.run, accepted = 0, given_up = false, failures = 0, rests = 0
      WHERE partition = p_partition AND id = h.id;
    ELSIF h.given_up AND p_hosts[v_place] = ANY(p_revived) THEN
      h.given_up := false;
      UPDATE hosts SET given_up = false, failures = 0, rests = 0 WHERE partition = p_partition AND id = h.id;
      f.given_up := f.given_up - 1;
    END IF;
    v_ids[v_place] := h.id;
    v_accepted[v_place] := h.accepted;
    v_given_up[v_place] := h.given_up;
    v_tight := v_tight OR h.given_up OR h.accepted + v_offers > p_max_urls;
  END LOOP;`

/** Looks up known links: their hosts, keys, runs and depths. */
const recallLinks = `
  FOR v_place IN 1..v_offers LOOP
    CONTINUE WHEN v_place < v_offers AND p_host[v_place] = p_host[v_place + 1];
    SELECT array_agg(s.host), array_agg(s.fp), array_agg(s.run), array_agg(s.depth)
    INTO v_found_host, v_found_key, v_found_run, v_found_depth
    FROM seen s WHERE s.partition = p_partition AND s.host = v_ids[p_host[v_place]] AND s.fp = ANY(v_keys[v_start:v_place]);
    v_start := v_place + 1;
    CONTINUE WHEN v_found_host IS NULL;
    v_seen_host := v_seen_host || v_found_host;
    v_seen_key := v_seen_key || v_found_key;
    v_seen_run := v_seen_run || v_found_run;
    v_seen_depth := v_seen_depth || v_found_depth;
  END LOOP;`

/** Up to this many rows are added one by one: Citus caches the plan of a single-row statement. */
const FEW = 8

const addFew = `
      FOREACH v_place IN ARRAY v_welcome LOOP
        IF v_states[v_place] = 1 THEN
          INSERT INTO seen (partition, host, fp, run, depth) VALUES (p_partition, v_ids[p_host[v_place]], v_keys[v_place],
            coalesce(p_rounds[p_errand[v_place]], f.run), p_depth[v_place]);
        END IF;
        INSERT INTO queue (partition, seq, host, priority, fp, watch, round, fresh_from, since, first, depth, hops, redirects,
          attempts, url, parent)
        VALUES (p_partition, v_before + v_place, v_ids[p_host[v_place]], p_priority[v_place], p_fp[v_place],
          coalesce(p_watches[p_errand[v_place]], 0), coalesce(p_rounds[p_errand[v_place]], 0),
          coalesce(p_fresh_from[p_errand[v_place]], 0), coalesce(p_since[p_errand[v_place]], 0),
          coalesce(p_first[p_errand[v_place]], false), p_depth[v_place], p_hops[v_place], p_redirects[v_place], 0,
          p_url[v_place], p_parents[p_parent[v_place]]);
      END LOOP;`

const addMany = `
      INSERT INTO seen (partition, host, fp, run, depth)
      SELECT p_partition, v_ids[o.host], o.key, coalesce(p_rounds[o.errand], f.run), o.depth
      FROM unnest(p_host, p_errand, v_keys, p_depth, v_states) AS o (host, errand, key, depth, state) WHERE o.state = 1;
      INSERT INTO queue (partition, seq, host, priority, fp, watch, round, fresh_from, since, first, depth, hops, redirects,
        attempts, url, parent)
      SELECT p_partition, v_before + o.n, v_ids[o.host], o.priority, o.fp, coalesce(p_watches[o.errand], 0),
        coalesce(p_rounds[o.errand], 0), coalesce(p_fresh_from[o.errand], 0), coalesce(p_since[o.errand], 0),
        coalesce(p_first[o.errand], false), o.depth, o.hops, o.redirects, 0, o.url, p_parents[o.parent]
      FROM unnest(p_host, p_parent, p_errand, p_fp, p_depth, p_hops, p_redirects, p_priority, p_url, v_states)
        WITH ORDINALITY AS o (host, parent, errand, fp, depth, hops, redirects, priority, url, state, n)
      WHERE o.state > 0;`

export const offerByKey = `
CREATE OR REPLACE FUNCTION frontier_offer(
${offerParameters}
) RETURNS json ${settings} AS $$
DECLARE
  f frontiers;
  h hosts;
  v_before bigint;
  v_offers int := cardinality(p_url);
  v_place int;
  v_start int := 1;
  v_keys bigint[] := CASE WHEN cardinality(p_keys) > 0 THEN p_keys ELSE p_fp END;
  v_ids bigint[] := '{}';
  v_accepted bigint[] := '{}';
  v_given_up boolean[] := '{}';
  v_tight boolean := false;
  v_seen_host bigint[] := '{}';
  v_seen_key bigint[] := '{}';
  v_seen_run bigint[] := '{}';
  v_seen_depth int[] := '{}';
  v_found_host bigint[];
  v_found_key bigint[];
  v_found_run bigint[];
  v_found_depth int[];
  v_states int[];
  v_refused bigint[] := '{}';
  v_welcome bigint[];
  v_hosts json[] := '{}';
  v_id bigint;
  v_run bigint;
  v_depth int;
  v_more bigint;
  v_fresh bigint;
BEGIN
  ${lock}
${seeToHosts}
${recallLinks}
  SELECT array_agg(CASE WHEN s.run IS NULL THEN 1 WHEN s.run <> coalesce(p_rounds[o.errand], f.run) THEN 2
    WHEN s.depth < o.depth THEN 3 ELSE 0 END ORDER BY o.n)
  INTO v_states
  FROM unnest(p_host, p_errand, v_keys, p_depth) WITH ORDINALITY AS o (host, errand, key, depth, n)
  LEFT JOIN unnest(v_seen_host, v_seen_key, v_seen_run, v_seen_depth) AS s (host, key, run, depth)
    ON s.host = v_ids[o.host] AND s.key = o.key;
  IF v_tight THEN
    SELECT coalesce(array_agg(n) FILTER (WHERE refused), '{}'), array_agg(CASE WHEN refused THEN 0 ELSE state END ORDER BY n)
    INTO v_refused, v_states FROM (
      SELECT n, state, state > 0 AND (v_given_up[host] OR (coalesce(p_watches[errand], 0) = 0
        AND v_accepted[host] - (state IN (1, 2))::int
          + count(*) FILTER (WHERE state IN (1, 2)) OVER (PARTITION BY host ORDER BY n) >= p_max_urls)) AS refused
      FROM unnest(p_host, p_errand, v_states) WITH ORDINALITY AS o (host, errand, state, n)
    ) each;
  END IF;
  SELECT coalesce(array_agg(n), '{}') INTO v_welcome FROM unnest(v_states) WITH ORDINALITY AS o (state, n) WHERE state > 0;
  IF cardinality(v_welcome) > 0 THEN
    IF cardinality(v_welcome) <= ${FEW} THEN${addFew}
    ELSE${addMany}
    END IF;
    FOR v_id, v_run, v_depth, v_found_key IN
      SELECT v_ids[o.host], coalesce(p_rounds[o.errand], f.run), o.depth, array_agg(o.key)
      FROM unnest(p_host, p_errand, v_keys, p_depth, v_states) AS o (host, errand, key, depth, state)
      WHERE o.state > 1 GROUP BY 1, 2, 3
    LOOP
      UPDATE seen SET run = v_run, depth = v_depth WHERE partition = p_partition AND host = v_id AND fp = ANY(v_found_key);
    END LOOP;
    FOR v_place, v_more, v_fresh IN
      SELECT o.host, count(*), count(*) FILTER (WHERE o.state < 3) FROM unnest(p_host, v_states) AS o (host, state)
      WHERE o.state > 0 GROUP BY 1
    LOOP
      UPDATE hosts SET queued = queued + v_more, accepted = accepted + v_fresh
      WHERE partition = p_partition AND id = v_ids[v_place]
      RETURNING queued, next_at, failures, rests INTO h.queued, h.next_at, h.failures, h.rests;
      v_hosts := v_hosts || json_build_array(v_ids[v_place], p_hosts[v_place], h.queued, h.next_at, h.failures, h.rests);
      f.seen := f.seen + v_fresh;
      f.waiting := f.waiting + (h.queued = v_more)::int;
    END LOOP;
    -- The numbers of those that were not accepted stay unused.
    f.seq := f.seq + v_offers;
    f.queued := f.queued + cardinality(v_welcome);
  END IF;
  ${save}
  RETURN json_build_object('before', v_before, 'facts', row_to_json(f), 'offered',
    json_build_object('accepted', v_welcome, 'limited', v_refused, 'hosts', to_json(v_hosts)));
END $$;`
