import type {
  AdoptedAnnotation,
  AnnotationBatch,
  AnnotationDraft,
  AnnotationStore,
  SetAsideTask,
  Task,
} from '../../contracts/annotations.ts'
import type { PriceRow } from '../../contracts/versions.ts'
import { adoptedDraft, adoptedOutcome, firstForeignVersion, foreignVersion } from '../../rules/adoption.ts'
import { comesRead } from '../../rules/inbox.ts'
import { MAX_PRICES } from '../../rules/prices.ts'
import { MAX_ATTEMPTS, reasonText } from '../../rules/tasks.ts'
import type { Database } from '../folder/database.ts'
import { columnNames, createAnnotationReader, insertValues, prepareAnnotations } from './annotation-rows.ts'
import { createWordSpelling } from './inbox-words.ts'
import { createSplitting } from './splitting.ts'
import { createSqliteStories } from './stories.ts'

type TaskRow = Omit<Task, 'first' | 'made'> & { first: 0 | 1; made: 0 | 1 }

export function createSqliteAnnotations(db: Database): AnnotationStore {
  const { annotationOf, annotationsOf } = createAnnotationReader(db)
  const spell = createWordSpelling(db)
  const sql = {
    tasks: db.prepare(
      `SELECT t.id, t.version AS versionId, coalesce(v.document, 0) AS documentId, coalesce(v.size, 0) AS size, t.watch, t.hops,
       t.round, t.first, t.made, t.attempts FROM tasks t LEFT JOIN versions v ON v.id = t.version
       WHERE t.aside_at = 0 AND t.id > ?4 AND coalesce(v.document, 0) % ?1 = ?2 ORDER BY t.id LIMIT ?3`,
    ),
    countTasks: db.prepare('SELECT count(*) AS n FROM tasks WHERE aside_at = 0'),
    attempt: db.prepare('UPDATE tasks SET attempts = max(0, attempts + ?2) WHERE id = ?1'),
    fail: db.prepare(
      `UPDATE tasks SET reason = ?2, aside_at = CASE WHEN attempts >= ${MAX_ATTEMPTS} THEN ?3 ELSE 0 END WHERE id = ?1
       RETURNING aside_at AS asideAt`,
    ),
    countAside: db.prepare('SELECT count(*) AS n FROM tasks WHERE aside_at > 0'),
    aside: db.prepare(
      `SELECT t.id, t.version AS versionId, coalesce(d.url, '') AS url, t.watch, t.reason, t.aside_at AS at FROM tasks t
       LEFT JOIN versions v ON v.id = t.version LEFT JOIN documents d ON d.id = v.document
       WHERE t.aside_at > 0 ORDER BY t.aside_at DESC, t.id DESC LIMIT ?`,
    ),
    retryAside: db.prepare(`UPDATE tasks SET attempts = 0, aside_at = 0, reason = '' WHERE aside_at > 0`),
    done: db.prepare('DELETE FROM tasks WHERE id = ?'),
    insert: db.prepare(
      `INSERT INTO annotations (${columnNames.join(', ')}, read, archived)
       VALUES (${columnNames.map(() => '?').join(', ')}, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    send: db.prepare('INSERT OR IGNORE INTO outbox (annotation, channel, created_at) VALUES (?, ?, ?)'),
    pin: db.prepare('INSERT OR IGNORE INTO holds (version, owner, since) VALUES (?, ?, ?)'),
    alsoAt: db.prepare(
      'INSERT OR IGNORE INTO also_at (annotation, version, document, url, draft) VALUES (?, ?, ?, ?, ?)',
    ),
    // Unless an annotation or a task still needs it, or the document was crawled for all.
    unwanted: db.prepare(
      `UPDATE versions SET wanted = 0 WHERE id = ?1
       AND NOT EXISTS (SELECT 1 FROM annotations a WHERE a.document = versions.document AND a.version = ?1)
       AND NOT EXISTS (SELECT 1 FROM tasks WHERE version = ?1)
       AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = versions.document AND d.for_all = 1)`,
    ),
    wanted: db.prepare('UPDATE versions SET wanted = 1 WHERE id = ? AND wanted = 0'),
    known: db.prepare('UPDATE reached SET known = max(known, ?3) WHERE document = ?1 AND watch = ?2'),
    price: db.prepare(
      `INSERT OR IGNORE INTO prices (document, part, version, at, amount, currency, availability)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    ),
    oldPrices: db.prepare(
      `DELETE FROM prices WHERE document = ?1 AND part = ?2 AND version <= (SELECT version FROM prices
       WHERE document = ?1 AND part = ?2 ORDER BY version DESC LIMIT 1 OFFSET ${MAX_PRICES})`,
    ),
    noise: db.prepare(
      `INSERT INTO noise (document, n, state) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET n = excluded.n, state = excluded.state WHERE excluded.n > n`,
    ),
    notice: db.prepare(`UPDATE versions SET notice = ?2 WHERE id = ?1 AND notice IS NOT 'notified'`),
    unmute: db.prepare('INSERT OR IGNORE INTO unmuted (document, block, owner, at) VALUES (?, ?, ?, ?)'),
    muteAgain: db.prepare('DELETE FROM unmuted WHERE document = ? AND block = ? AND owner = ?'),
    document: db.prepare('SELECT id FROM documents WHERE host = ? AND fp = ?'),
    addDocument: db.prepare(
      `INSERT INTO documents (host, fp, url, parent, first_at, checked_at, run, status, outcome)
       VALUES (?, ?, ?, '', ?, 0, 0, 0, '${adoptedOutcome}')`,
    ),
    isThere: db.prepare(
      'SELECT 1 FROM annotations WHERE document = ? AND profile = ? AND owner = ? AND at = ? AND kind = ? AND entry = ?',
    ),
    find: prepareAnnotations(db, 'WHERE a.id = ?'),
    some: prepareAnnotations(db, 'WHERE a.id IN (SELECT value FROM json_each(?))'),
    list: prepareAnnotations(
      db,
      `WHERE a.id > ? AND (? IS NULL OR a.owner = ?) AND (? IS NULL OR a.profile = ?)
       ORDER BY a.id LIMIT ?`,
    ),
    last: prepareAnnotations(db, 'WHERE a.profile = ? AND a.document = ? ORDER BY a.id DESC LIMIT 1'),
    ofCluster: prepareAnnotations(
      db,
      'WHERE a.story = ? AND a.story <> 0 AND a.profile = ? AND a.document <> ? ORDER BY a.id LIMIT 1',
    ),
  }
  const stories = createSqliteStories(db)
  const splitting = createSplitting(db, (draft) => {
    const id = add(draft)
    if (id > 0) spell(id, draft)
    return id
  })

  /** Returns the new id; 0 if it exists. */
  function add(draft: AnnotationDraft): number {
    const read = comesRead(draft)
    const archived = draft.muted === true
    const { changes, lastInsertRowid } = sql.insert.run(...insertValues(draft), Number(read), Number(archived))
    if (changes === 0) return 0
    const id = Number(lastInsertRowid)
    // Pins the version until the owner has read the annotation.
    if (!read && draft.versionId < firstForeignVersion) sql.pin.run(draft.versionId, draft.owner, draft.at)
    sql.wanted.run(draft.versionId)
    for (const channel of draft.channels ?? []) sql.send.run(id, channel, draft.at)
    return id
  }

  function addPrice({ documentId, part, versionId, at, amount, currency, availability }: PriceRow): void {
    sql.price.run(documentId, part, versionId, at, amount, currency, availability)
    sql.oldPrices.run(documentId, part)
  }

  function commit(batch: AnnotationBatch): number[] {
    const { done, annotations, alsoAt, nearDuplicates, unwanted, wanted, prices = [], noise, notices = [] } = batch
    const added = annotations.map((draft) => ({ id: add(draft), draft })).filter(({ id }) => id > 0)
    for (const { id, draft } of added) spell(id, draft)
    for (const { annotation, versionId, documentId, url, draft } of alsoAt)
      sql.alsoAt.run(annotation, versionId, documentId, url, JSON.stringify(draft))
    for (const text of nearDuplicates) stories.add(text)
    for (const id of done) sql.done.run(id)
    for (const id of unwanted) sql.unwanted.run(id)
    for (const id of wanted) sql.wanted.run(id)
    for (const price of prices) addPrice(price)
    const { known } = batch
    if (known !== undefined) sql.known.run(known.documentId, known.watch, known.versionId)
    if (noise !== undefined) sql.noise.run(noise.documentId, noise.state.n, JSON.stringify(noise.state))
    for (const { versionId, notice } of notices) sql.notice.run(versionId, notice)
    return added.map(({ id }) => id)
  }

  function adopt(adopted: AdoptedAnnotation): number {
    const { host, fp, url } = adopted.document
    const { owner, profile, at, kind, entry } = adopted.draft
    const known = sql.document.get(host, fp) as { id: number } | undefined
    const document = known?.id ?? Number(sql.addDocument.run(host, fp, url, at).lastInsertRowid)
    if (sql.isThere.get(document, profile, owner, at, kind, entry) !== undefined) return 0
    const foreign = foreignVersion(adopted)
    const draft = adoptedDraft(adopted, document, adopted.version?.id ?? foreign)
    const id = add(draft)
    if (id === 0) return 0
    spell(id, draft)
    for (const [place, other] of adopted.alsoAt.entries()) sql.alsoAt.run(id, foreign + place, 0, other, '')
    return 1
  }

  return {
    adopt: async (annotations) => db.write(() => annotations.reduce((sum, each) => sum + adopt(each), 0)),
    async tasks({ limit, part, parts, after = 0 }) {
      const rows = db.read(() => sql.tasks.all(parts, part, limit, after)) as TaskRow[]
      return rows.map((row) => ({ ...row, first: row.first === 1, made: row.made === 1 }))
    },
    countTasks: async () => (db.read(() => sql.countTasks.get()) as { n: number }).n,
    async countAttempts(ids, by) {
      db.write(() => {
        for (const id of ids) sql.attempt.run(id, by)
      })
    },
    async fail(id, { reason, at }) {
      const row = db.write(() => sql.fail.get(id, reasonText(reason), at)) as { asideAt: number } | undefined
      return row !== undefined && row.asideAt > 0 ? 'set-aside' : 'waiting'
    },
    setAside: async (limit) =>
      db.read(() => ({
        count: (sql.countAside.get() as { n: number }).n,
        latest: sql.aside.all(limit).map((row) => ({ ...(row as SetAsideTask) })),
      })),
    retrySetAside: async () => Number(db.write(() => sql.retryAside.run()).changes),
    async commit(batch) {
      const ids = db.write(() => commit(batch))
      return ids.map((id) => annotationOf(sql.find.get(id))!)
    },
    find: async (id) => db.read(() => annotationOf(sql.find.get(id))),
    async findAll(ids) {
      const found = new Map(
        db.readTogether(() => annotationsOf(sql.some.all(JSON.stringify(ids)))).map((each) => [each.id, each]),
      )
      return ids.flatMap((id) => found.get(id) ?? [])
    },
    async list({ after, limit, owner = null, profile = null }) {
      const rows = db.read(() => sql.list.all(after, owner, owner, profile, profile, limit))
      return rows.map((row) => annotationOf(row)!)
    },
    last: async (profile, documentId) => db.read(() => annotationOf(sql.last.get(profile, documentId))),
    async ofCluster({ owner, profile, cluster, documentId }) {
      return db.read(() => {
        const annotation = annotationOf(sql.ofCluster.get(cluster, profile, documentId))
        if (annotation === null) return { kind: 'none' }
        const isSplit = splitting.isSplit(owner, profile, cluster, documentId)
        return isSplit ? { kind: 'split' } : { kind: 'known', annotation }
      })
    },
    textsOfHost: async (host, documentId) => db.read(() => stories.ofHost(host, documentId)),
    textsInBands: async (bands) => db.readTogether(() => stories.inBands(bands)),
    async split(wish) {
      const ids = db.write(() => splitting.split(wish))
      if (ids === null) return { kind: 'unknown' }
      return { kind: 'split', fresh: db.read(() => ids.map((id) => annotationOf(sql.find.get(id))!)) }
    },
    async unmute({ documentId, block, owner, at }) {
      db.write(() => sql.unmute.run(documentId, block, owner, at))
    },
    async muteAgain({ documentId, block, owner }) {
      db.write(() => sql.muteAgain.run(documentId, block, owner))
    },
  }
}
