/**
 * `fence` aborts the transaction with code ERL01 unless the partition is held under this epoch, and keeps it held until the
 * transaction ends. `lease_beat` is a heartbeat: it renews the holder's leases, and takes free ones up to its fair share.
 * A lease that is the holder's in the table but unknown to the holder is taken again under a new epoch.
 */
export const leaseFunctions = `
CREATE FUNCTION fence(p_partition smallint, p_epoch bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM leases WHERE partition = p_partition AND epoch = p_epoch FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'partition % is not held under epoch % any more', p_partition, p_epoch USING ERRCODE = 'ERL01';
  END IF;
END $$;

CREATE FUNCTION lease_beat(
  p_holder text, p_name text, p_process text, p_leaving boolean, p_lease_ms bigint, p_known smallint[]
) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  v_until timestamptz := now() + p_lease_ms * interval '1 ms';
  v_live int;
  v_rank int;
  v_share int;
  v_held int;
  v_taken json;
BEGIN
  INSERT INTO holders (holder, name, process, leaving, until) VALUES (p_holder, p_name, p_process, p_leaving, v_until)
  ON CONFLICT (holder) DO UPDATE SET until = excluded.until, leaving = excluded.leaving;
  DELETE FROM holders WHERE holder IN (
    SELECT holder FROM holders WHERE until < now() - interval '10 minutes' FOR UPDATE SKIP LOCKED);
  UPDATE leases SET until = v_until WHERE holder = p_holder AND partition = ANY(p_known);
  GET DIAGNOSTICS v_held = ROW_COUNT;
  SELECT count(*), count(*) FILTER (WHERE holder < p_holder) INTO v_live, v_rank FROM holders WHERE until > now() AND NOT leaving;
  v_share := CASE WHEN p_leaving THEN 0 ELSE 256 / v_live + (v_rank < 256 % v_live)::int END;
  WITH free AS (
    SELECT partition, clean FROM leases
    WHERE holder IS NULL OR until <= now() OR (holder = p_holder AND NOT partition = ANY(p_known))
    ORDER BY random() LIMIT greatest(0, v_share - v_held) FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE leases l SET holder = p_holder, epoch = l.epoch + 1, until = v_until, clean = false
    FROM free WHERE l.partition = free.partition
    RETURNING l.partition, l.epoch, NOT free.clean AS recovered
  )
  SELECT json_agg(json_build_array(partition, epoch, recovered)) INTO v_taken FROM taken;
  RETURN json_build_object(
    'live', v_live,
    'share', v_share,
    'twins', (SELECT count(DISTINCT process) FROM holders
              WHERE name = p_name AND process <> p_process AND until > now()),
    'taken', coalesce(v_taken, '[]'),
    'held', (SELECT coalesce(json_agg(json_build_array(partition, epoch)), '[]') FROM leases
             WHERE holder = p_holder AND partition = ANY(p_known)));
END $$;
`

/** No lease may be lost because queues can't be counted: while another session locks their table, no partition counts as heavy. */
const heavyPartitions = `
CREATE FUNCTION heavy_partitions() RETURNS smallint[] LANGUAGE plpgsql SET lock_timeout = '50ms' AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(partition), '{}') FROM frontiers WHERE queued >= 16);
EXCEPTION WHEN lock_not_available THEN
  RETURN '{}';
END $$;`

const balancedBeat = `
CREATE OR REPLACE FUNCTION lease_beat(
  p_holder text, p_name text, p_process text, p_leaving boolean, p_lease_ms bigint, p_known smallint[]
) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  v_until timestamptz := now() + p_lease_ms * interval '1 ms';
  v_live int;
  v_rank int;
  v_share int;
  v_held int;
  v_heavy smallint[];
  v_heavy_share int;
  v_heavy_held int;
  v_taken json[] := '{}';
  v_more json[];
BEGIN
  INSERT INTO holders (holder, name, process, leaving, until) VALUES (p_holder, p_name, p_process, p_leaving, v_until)
  ON CONFLICT (holder) DO UPDATE SET until = excluded.until, leaving = excluded.leaving;
  DELETE FROM holders WHERE holder IN (
    SELECT holder FROM holders WHERE until < now() - interval '10 minutes' FOR UPDATE SKIP LOCKED);
  v_heavy := heavy_partitions();
  UPDATE leases SET until = v_until WHERE holder = p_holder AND partition = ANY(p_known);
  GET DIAGNOSTICS v_held = ROW_COUNT;
  SELECT count(*) INTO v_heavy_held FROM leases
  WHERE holder = p_holder AND partition = ANY(p_known) AND partition = ANY(v_heavy);
  SELECT count(*), count(*) FILTER (WHERE holder < p_holder) INTO v_live, v_rank FROM holders WHERE until > now() AND NOT leaving;
  v_share := CASE WHEN p_leaving THEN 0 ELSE 256 / v_live + (v_rank < 256 % v_live)::int END;
  v_heavy_share := CASE WHEN p_leaving THEN 0 ELSE (cardinality(v_heavy) + v_live - 1) / v_live END;
  FOR v_pass IN 1..2 LOOP
    WITH free AS (
      SELECT partition, clean FROM leases
      WHERE (holder IS NULL OR until <= now() OR (holder = p_holder AND NOT partition = ANY(p_known)))
        AND partition = ANY(v_heavy) = (v_pass = 1)
      ORDER BY random()
      LIMIT greatest(0, CASE v_pass WHEN 1 THEN v_heavy_share - v_heavy_held ELSE v_share - v_held - cardinality(v_taken) END)
      FOR UPDATE SKIP LOCKED
    ), taken AS (
      UPDATE leases l SET holder = p_holder, epoch = l.epoch + 1, until = v_until, clean = false
      FROM free WHERE l.partition = free.partition
      RETURNING l.partition, l.epoch, NOT free.clean AS recovered
    )
    SELECT coalesce(array_agg(json_build_array(partition, epoch, recovered)), '{}') INTO v_more FROM taken;
    v_taken := v_taken || v_more;
  END LOOP;
  RETURN json_build_object(
    'live', v_live,
    'share', v_share,
    'heavy', to_json(v_heavy),
    'heavyShare', v_heavy_share,
    'twins', (SELECT count(DISTINCT process) FROM holders
              WHERE name = p_name AND process <> p_process AND until > now()),
    'taken', to_json(v_taken),
    'held', (SELECT coalesce(json_agg(json_build_array(partition, epoch)), '[]') FROM leases
             WHERE holder = p_holder AND partition = ANY(p_known)));
END $$
`

/**
 * The same, but partitions with many queued requests (heavy ones) are also shared evenly among themselves: of six busy hosts, three workers
 * get two each, regardless of their partitions. A holder with too few heavy partitions takes free ones beyond its share of all partitions,
 * and gives back others. While a heavy one is free, some holder always has too few, because these shares are rounded up.
 */
export const balancedLeases = heavyPartitions + balancedBeat

/**
 * With more holders than partitions, the first thread of each process comes first: so a process whose first thread holds a partition has
 * others to read its pages, and no process holds several while another has none. No holder then takes extra heavy partitions.
 */
export const leasesOfManyThreads = balancedBeat
  .replace(
    'WHERE holder < p_holder',
    `WHERE (split_part(holder, '/', -2), holder) < (split_part(p_holder, '/', -2), p_holder)`,
  )
  .replace(
    'WHEN p_leaving THEN 0 ELSE (cardinality(v_heavy)',
    'WHEN p_leaving THEN 0 WHEN v_live > 256 THEN v_share ELSE (cardinality(v_heavy)',
  )
