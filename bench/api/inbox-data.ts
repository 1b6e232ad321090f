import { hostname } from 'node:os'
import { type AccountSettings, defaultAccountSettings } from '../../src/core/account.ts'
import { createSecret, hashOfSecret, TOKEN_PREFIX } from '../../src/services/accounts/secrets.ts'
import { createProfileKeys } from '../../src/services/profiles/keyed-profile.ts'
import { draftOf } from '../../src/store/conformance/annotations-suite.testkit.ts'
import type { AnnotationDraft } from '../../src/store/contracts/annotations.ts'
import { createSqliteAccounts } from '../../src/store/sqlite/accounts/accounts.ts'
import { createSqliteTokens } from '../../src/store/sqlite/accounts/credentials.ts'
import { createSqliteProfiles } from '../../src/store/sqlite/accounts/profiles.ts'
import { type Database, openDatabase } from '../../src/store/sqlite/folder/database.ts'
import { openFolder, paths } from '../../src/store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../src/store/sqlite/folder/schema-catalog.ts'
import { createSqliteAnnotations } from '../../src/store/sqlite/inbox/annotations.ts'
import { profileOf } from '../../test/watch/up-run.ts'
import { createRandom } from '../origin/random.ts'
import { createSearchTexts } from '../search-texts.ts'

export const OWNERS = 50
const PROFILES = 5
/** The first owner's share of all annotations. */
const LARGE_SHARE = 0.6
const BATCH = 50_000
const TEXTS = 2_000
const SUMMARY_WORDS = 30
const TITLE_WORDS = 6

export type Owner = { email: string; token: string }
export type InboxData = { owners: Owner[]; common: string[]; rare: string[]; seconds: number }

/** Creates an inbox for each owner; the first one's is by far the largest. */
export async function createInboxData(folder: string, annotations: number): Promise<InboxData> {
  const startedAt = performance.now()
  await openFolder({ folder, holder: `bench on ${hostname()}`, shards: 1 }).close()
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true, cacheKib: 262_144 })
  try {
    db.exec('PRAGMA synchronous = OFF')
    const owners = await addOwners(db)
    const documents = Math.ceil((annotations * LARGE_SHARE) / PROFILES)
    addDocuments(db, documents)
    const texts = createTexts()
    const store = createSqliteAnnotations(db)
    for (let at = 0; at < annotations; at += BATCH) {
      const drafts = Array.from({ length: Math.min(BATCH, annotations - at) }, (_, n) =>
        annotationOf(at + n, annotations, documents, texts),
      )
      await store.commit({ done: [], annotations: drafts, alsoAt: [], nearDuplicates: [], unwanted: [], wanted: [] })
    }
    db.exec(`PRAGMA wal_checkpoint(TRUNCATE); ANALYZE`)
    const seconds = (performance.now() - startedAt) / 1000
    return { owners, common: texts.common, rare: texts.rare, seconds }
  } finally {
    db.close()
  }
}

export const emailOf = (owner: number): string => `user-${owner}@example.org`
export const profileIdOf = (owner: number, profile: number): string => `profile-${owner}-${profile}`

async function addOwners(db: Database): Promise<Owner[]> {
  const accounts = createSqliteAccounts(db)
  const tokens = createSqliteTokens(db)
  const profiles = createSqliteProfiles(db)
  const keyed = createProfileKeys({})
  const owners: Owner[] = []
  const settings: AccountSettings = defaultAccountSettings
  for (let n = 0; n < OWNERS; n++) {
    const email = emailOf(n)
    const base = { name: '', role: 'user', level: 'silver', disabled: false, createdAt: 1, passwordHash: '' } as const
    const account = await accounts.add({ email, settings, ...base })
    const token = createSecret(TOKEN_PREFIX)
    const rights = { name: 'bench', scopes: ['read', 'write'], createdAt: 1, expiresAt: 0 } as const
    await tokens.add({ hash: hashOfSecret(token), account: account!.id, ...rights })
    await profiles.put(Array.from({ length: PROFILES }, (_, p) => keyed(profileOf(profileIdOf(n, p), email, [], {}))))
    owners.push({ email, token })
  }
  return owners
}

function addDocuments(db: Database, count: number): void {
  const document = db.prepare(
    `INSERT INTO documents (id, host, fp, url, parent, first_at, checked_at, run, status, outcome, version)
     VALUES (?, ?, ?, ?, '', 1, 1, 1, 200, 'stored', ?)`,
  )
  const version = db.prepare(
    `INSERT INTO versions (id, document, n, reason, at, seen_at, status, type, size, digest, etag, last_modified,
     truncated, title, address, original, file, offset, length, links)
     VALUES (?, ?, 1, 'new', 1, 1, 200, 'text/html', 1000, x'00', '', '', '', '', '', ?, 0, 0, 0, 0)`,
  )
  for (let from = 1; from <= count; from += BATCH)
    db.write(() => {
      for (let id = from; id < from + BATCH && id <= count; id++) {
        const host = `www.site-${id % 1_000}.example`
        document.run(id, host, id, `http://${host}/page/${id}`, id)
        version.run(id, id, id)
      }
    })
}

function createTexts() {
  const { textAt, words } = createSearchTexts()
  const texts = Array.from({ length: TEXTS }, (_, n) => textAt(n).text.split(' '))
  const counts = new Map<string, number>()
  for (const word of texts.flat()) counts.set(word, (counts.get(word) ?? 0) + 1)
  const rare = [...counts].filter(([word, count]) => count === 1 && word.length > 4).map(([word]) => word)
  return { texts, common: words.slice(0, 20), rare: rare.slice(0, 2_000) }
}

type Texts = ReturnType<typeof createTexts>

function annotationOf(n: number, annotations: number, documents: number, { texts }: Texts): AnnotationDraft {
  const random = createRandom(n)
  const large = Math.floor(annotations * LARGE_SHARE)
  const owner = n < large ? 0 : 1 + ((n - large) % (OWNERS - 1))
  // Each pair of profile and version once: a page can match several profiles of an owner.
  const index = n < large ? n : Math.floor((n - large) / (OWNERS - 1))
  const version = 1 + ((index + owner * 7_919) % documents)
  const words = texts[random.below(TEXTS)]!
  const start = random.below(words.length - SUMMARY_WORDS - TITLE_WORDS)
  const summary = words.slice(start, start + SUMMARY_WORDS)
  return draftOf(version, version, {
    owner: emailOf(owner),
    profile: profileIdOf(owner, Math.floor(index / documents) % PROFILES),
    at: Date.UTC(2026, 0, 1) + n * 1_000,
    relevance: 4 + random.below(8),
    urgency: 1 + random.below(3),
    title: words.slice(start + SUMMARY_WORDS, start + SUMMARY_WORDS + TITLE_WORDS).join(' '),
    format: 'text/html',
    extension: 'html',
    size: 1_000,
    summary: { text: summary.join(' '), marks: [[0, summary[0]!.length]] },
    explanation: { relevance: 4, threshold: 4, terms: [{ key: summary[0]!, weight: 4, hits: 1 }] },
  })
}
