import type { Database } from '../folder/database.ts'

/** Counters that are saved with every transaction, so that opening a frontier of any size requires no counting. */
export function openFacts(db: Database, run: number) {
  const select = db.prepare('SELECT name, value FROM facts')
  const keep = db.prepare(
    'INSERT INTO facts (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  )
  const facts = {
    run,
    seq: 0,
    queued: 0,
    seen: 0,
    clean: 0,
    /** The last run in which a link had a depth limit. */
    limited: 0,
    recovered: false,
    /** The values in memory may differ from the file. */
    stale: false,
    load() {
      const kept = new Map((select.all() as { name: string; value: number }[]).map(({ name, value }) => [name, value]))
      facts.seq = kept.get('seq') ?? 0
      facts.queued = kept.get('queued') ?? 0
      facts.seen = kept.get('run') === run ? (kept.get('seen') ?? 0) : 0
      facts.limited = kept.get('limited') ?? 0
      facts.stale = false
      return kept.get('clean') === 0
    },
    reload() {
      facts.stale = true
      try {
        facts.load()
      } catch {} // still failing: the next transaction loads it again
    },
    save() {
      for (const name of ['run', 'seq', 'queued', 'seen', 'clean', 'limited'] as const) keep.run(name, facts[name])
    },
  }
  facts.recovered = facts.load()
  db.write(() => facts.save())
  return facts
}
