import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOrigin } from '../../../bench/origin/start.ts'
import { type EraceProcess, lastLines, startWebCrawl } from '../../../test/kit/erace.ts'
import { createHandlerSite } from '../../../test/site/handler-site.ts'
import { createUpFolder, profileOf, sourceOf, until } from '../../../test/watch/up-run.ts'
import { createBodyReader } from '../../archive/body-reader.ts'
import { compareVersions } from '../../archive/history/compare.ts'
import { readShown } from '../../archive/history/history.ts'
import { createVersionFinder } from '../../archive/history/version-finder.ts'
import { noNoise } from '../../core/change/noise/learning.ts'
import { systemClock } from '../../core/clock.ts'
import { deliveryDefaults } from '../../core/profile.ts'
import { parseSearchQuery } from '../../core/search-query/parse-query.ts'
import { type AccountService, createAccountService } from '../../services/accounts/account-service.ts'
import type { DeliveryStore } from '../../store/contracts/deliveries.ts'
import { inboxStates } from '../../store/contracts/inbox.ts'
import type { StoreSet } from '../../store/contracts/store-set.ts'
import type { CataloguedDocument, Version } from '../../store/contracts/versions.ts'
import { compressNextFile } from '../../store/sqlite/archive/compress.ts'
import { markLost } from '../../store/sqlite/documents/lost-versions.ts'
import { openDatabase } from '../../store/sqlite/folder/database.ts'
import { openCatalogForReading, paths } from '../../store/sqlite/folder/folder.ts'
import { catalogMigrations } from '../../store/sqlite/folder/schema-catalog.ts'
import { sqliteStores } from '../engines/sqlite-stores.ts'

/** Long enough for a busy machine. */
const PATIENCE_MS = 120_000

export const ann = { email: 'ann@example.org', password: 'correct horse battery' }
export const bob = { email: 'bob@example.org', password: 'another long password' }

export type LivedInFolder = {
  folder: string
  /** Secrets of ann's browser and script. */
  secrets: { session: string; token: string }
  remove(): void
}

export const accountsOn = (stores: StoreSet): AccountService =>
  createAccountService({
    stores,
    clock: systemClock,
    sessionAgeMs: 86_400_000,
    levelOf: () => 'silver',
    onProblem: () => {},
  })

const article = Array.from(
  { length: 12 },
  (_, n) =>
    `<p>The harbour of town ${n} was rebuilt in java stone after the storm, as the council had asked many years before.</p>`,
).join('')

/** A folder used for watching and crawling, with accounts and marks, left in the middle of a crawl. */
export async function makeLivedInFolder(): Promise<LivedInFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'erace-move-'))
  await watchForAWhile(folder)
  const secrets = await livePeople(folder)
  await crawlHalfway(folder)
  compressSome(folder)
  return { folder, secrets, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

async function watchForAWhile(folder: string): Promise<void> {
  const pages: Record<string, string | undefined> = {
    '/': '<title>Front</title><p>research news</p><a href=/java>j</a><a href=/sport>s</a><a href=/one>1</a><a href=/two>2</a><a href=/same>=</a><a href=/again>=</a>',
    '/java': '<title>Java "quoted" \\ back</title><p>java research at ibm, für alle 研究</p>',
    '/sport': '<title>Sport</title><p>football and research</p>',
    '/one': `<title>One</title>${article}`,
    '/two': `<title>Two</title>${article}`,
    '/same': '<title>Same</title><p>java here</p>',
    '/again': '<title>Same</title><p>java here</p>',
  }
  const site = await createHandlerSite((path, response) => {
    const body = pages[path]
    response.writeHead(body === undefined ? 404 : 200).end(body)
  })
  const up = await createUpFolder(folder)
  let running: EraceProcess | null = null
  try {
    await up.put(
      {
        ...profileOf('java', ann.email, [sourceOf(`${site.origin}/`, { depth: 1, everyMs: 200, everyMaxMs: 200 })], {
          java: 2,
        }),
        delivery: { ...deliveryDefaults, channels: ['inbox', 'ops'] },
      },
      profileOf('research', bob.email, [sourceOf(`${site.origin}/`, { depth: 1, everyMs: 200, everyMaxMs: 200 })], {
        research: 2,
      }),
    )
    running = up.start()
    const { child, ended } = running
    const failed = ended.then((end) => assert.fail(`erace up ended: ${lastLines(end)}`))
    const meanwhile = <T>(work: Promise<T>): Promise<T> => Promise.race([work, failed])
    const toldOf = async (path: string, kind: string): Promise<boolean> =>
      (await up.annotations()).some((each) => each.url.endsWith(path) && each.kind === kind)
    await meanwhile(
      until('news of all', async () => (await toldOf('/java', 'new')) && toldOf('/sport', 'new'), PATIENCE_MS),
    )
    pages['/java'] = '<title>Java changed</title><p>java research at ibm and elsewhere</p>'
    delete pages['/sport']
    await meanwhile(
      until('changes', async () => (await toldOf('/java', 'changed')) && toldOf('/sport', 'gone'), PATIENCE_MS),
    )
    failed.catch(() => {})
    child.kill('SIGTERM')
    const { exitCode, stderr } = await ended
    assert.equal(exitCode, 0, stderr)
  } finally {
    await running?.stop('SIGKILL')
    up.close()
    await site.close()
  }
}

/** Accounts, a session, a token, a failed sign-in, marks, and a version whose record was lost. */
async function livePeople(folder: string): Promise<LivedInFolder['secrets']> {
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  const stores = sqliteStores(folder, db)
  try {
    const accounts = accountsOn(stores)
    await accounts.users.add({ ...ann, name: 'Ann', role: 'administrator' })
    await accounts.users.add({ ...bob, name: 'Bob', role: 'user' })
    const browser = { address: '127.0.0.1', agent: 'test' }
    assert.equal((await accounts.signIn({ ...bob, ...browser, password: 'wrong password' })).kind, 'wrong')
    const signedIn = await accounts.signIn({ ...ann, ...browser })
    assert.ok(signedIn.kind === 'signed-in')
    const token = await accounts.addToken(signedIn.caller, { name: 'script', scopes: ['read'], expiresAt: 0 })
    const mine = await stores.inbox.list(ann.email, { state: 'all' }, { before: null, limit: 100 })
    assert.ok(mine.length >= 3, `${mine.length} annotations`)
    await stores.inbox.mark(ann.email, [mine[0]!.id], { read: true })
    await stores.inbox.mark(ann.email, [mine[1]!.id], { starred: true })
    await stores.inbox.mark(ann.email, [mine[2]!.id], { archived: true })
    await stores.setup.setHash(Buffer.from('0123456789abcdef', 'hex'))
    await stores.profiles.setUrds([2], { muted: true })
    const all = await stores.versions.versions({ after: 0, limit: 1000 })
    const titled = (title: string): number => all.find((version) => version.title === title)!.id
    db.write(() => {
      markLost(db, [titled('Two')])
      // As if the process had been killed before processing these.
      const add = db.prepare(
        'INSERT INTO tasks (version, watch, hops, round, first, made, attempts, aside_at, reason) VALUES (?, 1, 1, 5, 0, 1, ?, ?, ?)',
      )
      add.run(titled('Front'), 1, 0, '')
      add.run(titled('One'), 3, 77, 'TypeError: no')
      db.prepare(`UPDATE annotations SET docbase = '969890.gzip' WHERE id = ?`).run(mine[0]!.id)
    })
    await findOut(stores, all)
    const ids = mine.slice(0, 3).map(({ id }) => id)
    const enter = db.prepare(`INSERT INTO outbox (annotation, channel, created_at) VALUES (?, 'ops-1', 5)`)
    db.write(() => ids.forEach((id) => void enter.run(id)))
    await deliverSome(stores.deliveries, ids)
    return { session: signedIn.secret, token: token.secret }
  } finally {
    await stores.close()
  }
}

/** Leaves some annotations in delivery: one in a begun message, one waiting, one without a time; and a sent message. */
async function deliverSome(deliveries: DeliveryStore, [one, two]: readonly number[]): Promise<void> {
  await deliveries.plan([one!, two!].map((annotation) => ({ annotation, channel: 'ops-1', dueAt: 50 })))
  const [leased] = await deliveries.lease({ now: 100, leaseMs: 10, limit: 1 })
  const message = { kind: 'digest', subject: 'a digest', profiles: ['java'], leftOut: 0, createdAt: 60 } as const
  await deliveries.compose(leased!.lease, { ...message, id: 'begun', annotations: [one!] }, [])
  const { id: channel, owner, state: _, ...health } = leased!.channel
  await deliveries.settle(
    leased!.lease,
    'begun',
    { state: 'waiting', at: 61, answer: '503 é' },
    { ...health, state: 'failing' },
  )
  await deliveries.release(leased!.lease)
  const sent = { state: 'sent', attempts: 2, at: 59, answer: 'ok' } as const
  await deliveries.log({ ...message, ...sent, id: 'sent', annotations: [], channel, owner })
}

/** Adds what annotating produces besides annotations: prices, noise, notices, selectors that match nothing; and a channel. */
async function findOut(stores: StoreSet, all: readonly Version[]): Promise<void> {
  const [{ id: versionId, documentId }, other] = ['Two', 'Front'].map(
    (title) => all.find((it) => it.title === title)!,
  ) as [Version, Version]
  const price = {
    documentId,
    versionId,
    part: '',
    at: 5,
    amount: 39.9,
    currency: 'EUR',
    availability: 'in-stock',
  } as const
  await stores.annotations.commit({
    ...{ done: [], annotations: [], alsoAt: [], nearDuplicates: [], unwanted: [], wanted: [] },
    prices: [price, { ...price, part: 'p › "kettle"', amount: null, availability: 'out-of-stock' }],
    noise: { documentId, state: { ...noNoise, n: 2, check: 2, decided: [['c', 'x']] } },
    notices: [{ versionId: other.id, notice: 'noise' }],
  })
  await stores.annotations.unmute({ documentId, block: 'x', owner: '', at: 7 })
  await stores.annotations.unmute({ documentId, block: 'x', owner: ann.email, at: 8 })
  const selection = { selected: 'nothing', selectedSince: 1_700_000_000_000, selectedVersion: other.id } as const
  await stores.profiles.setUrds([1], selection)
  const channel = { owner: ann.email, kind: 'webhook', name: 'Ops "room"', settings: { url: 'https://ops.example/' } }
  const stored = { name: 'bank', kind: 'password', hint: 'ann', sealed: Buffer.from([0, 255, 39, 92]), createdAt: 4 }
  await stores.credentials.add({ id: 'a'.repeat(24), owner: ann.email, ...stored })
  await stores.credentials.noteFailed('a'.repeat(24), { changedAt: 4, at: 5, reason: 'no "entry"' })
  await stores.channels.add({ id: 'ops-1', ...channel, createdAt: 9 })
  await stores.channels.note('ops-1', { state: 'failing', reason: '500', failures: 3, retryAt: 11, sentAt: 10 })
}

async function crawlHalfway(folder: string): Promise<void> {
  // Small files, so that some are closed and can be compressed.
  process.env.ERACE_ARCHIVE_MAXFILE = '128KB'
  const origin = await startOrigin({ pages: 900, hosts: 3, seed: 3, meanBytes: 3000, links: 12, latencyMs: 4 })
  try {
    const { child, ended } = startWebCrawl(origin, folder, { fetchers: 6, perHost: 2, threads: 3 })
    await origin.reached(600)
    child.kill('SIGINT')
    const end = await ended
    assert.equal(end.signal, null, lastLines(end))
  } finally {
    delete process.env.ERACE_ARCHIVE_MAXFILE
    await origin.close()
  }
}

/** Compresses some files, as a crawl does in the background. */
function compressSome(folder: string): void {
  const db = openDatabase(paths.catalog(folder), { migrations: catalogMigrations, mustExist: true })
  for (let n = 0; n < 5; n++) assert.ok(compressNextFile(db, paths.archive(folder), () => false))
  db.close()
}

export function sqliteOn(folder: string): StoreSet {
  return sqliteStores(folder, openCatalogForReading(folder))
}

/** The key of bob's failed sign-in. */
const failedKey = `email ${createHash('sha256').update(bob.email).digest('base64url')}`

/** Digests of all files except locks and memory shared with readers. */
export function fileDigests(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(db|db-wal|warc|gz)$/.test(name),
  )
  return Object.fromEntries(
    names
      .filter((name) => !/^(lock|housekeeping)/.test(name))
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ])
      .filter(([name]) => !name!.endsWith('-wal')),
  )
}

/** Everything in the stores, read through their contracts alone, with ids converted back to those of the folder. */
export async function pictureOf(stores: StoreSet, numberOf: (id: number) => number): Promise<Record<string, unknown>> {
  const owners = [ann.email, bob.email]
  return JSON.parse(
    JSON.stringify(
      {
        kept: await stores.countKept(),
        documents: await documentsOf(stores, numberOf),
        profiles: await stores.profiles.list({ after: '', limit: 100 }),
        urds: (await Promise.all(['java', 'research'].map((id) => stores.profiles.urdsOf(id)))).map((urds) =>
          urds.map((urd) => ({ ...urd, selectedVersion: numberOf(urd.selectedVersion) })),
        ),
        channels: await Promise.all(owners.map((owner) => stores.channels.list(owner))),
        credentials: await Promise.all(owners.map((owner) => stores.credentials.list(owner))),
        profilesRevision: await stores.profiles.revision(),
        watches: await watchesOf(stores, numberOf),
        accounts: await Promise.all(owners.map((email) => accountOf(stores, email))),
        failures: await stores.signInFailures.find(failedKey),
        setup: Buffer.from((await stores.setup.hash()) ?? []).toString('hex'),
        inbox: await Promise.all(owners.map((owner) => inboxOf(stores, owner, numberOf))),
        unplanned: await stores.deliveries.unplanned(1000),
        // Documents get ids of the shared store.
        waiting: (await stores.deliveries.waiting('ops-1', 1000)).map(({ documentId: _, ...entry }) => entry),
        counts: [...(await stores.deliveries.waitingCounts(['ops-1']))],
        messages: await Promise.all(
          owners.map((owner) => stores.deliveries.messages(owner, {}, { before: null, limit: 100 })),
        ),
        tasks: (await stores.annotations.tasks({ limit: 1000, part: 0, parts: 1 })).map((task) => ({
          ...task,
          id: numberOf(task.id),
          versionId: numberOf(task.versionId),
          documentId: numberOf(task.documentId),
        })),
        setAside: (await stores.annotations.setAside(1000)).latest.map((task) => ({
          ...task,
          id: numberOf(task.id),
          versionId: numberOf(task.versionId),
        })),
        access: await accessOf(stores, numberOf),
        nearDuplicates: await nearDuplicatesOf(stores, numberOf),
      },
      (_, value) => (typeof value === 'bigint' ? String(BigInt.asIntN(64, value)) : value),
    ),
  )
}

/** The newest texts of each host. */
async function nearDuplicatesOf(stores: StoreSet, numberOf: (id: number) => number): Promise<unknown[]> {
  const { annotations } = stores
  const told = await annotations.list({ after: 0, limit: 1000 })
  const hosts = new Set(told.map(({ url }) => new URL(url).host))
  const texts = await Promise.all([...hosts].sort().map((host) => annotations.textsOfHost(host, 0)))
  return texts.flat().map(({ host, cluster, sketch }) => [host, numberOf(cluster), Buffer.from(sketch).toString('hex')])
}

async function documentsOf(stores: StoreSet, numberOf: (id: number) => number): Promise<unknown[]> {
  const { versions, objects } = stores
  const bodies = createBodyReader({ versions, objects })
  const parts = { versions, bodies, finder: createVersionFinder({ versions, keyOf: () => null }) }
  const read = async (document: CataloguedDocument): Promise<unknown> => {
    const history = await versions.history(document.id, { after: 0, limit: 100 })
    const told = await Promise.all(
      history.map(async (version) => ({
        ...plainVersion(version, numberOf),
        shown: hashed(await readShown({ versions, bodies }, { document, version })),
      })),
    )
    const changes = history.length > 1 ? await compareVersions(parts, document, compared).catch(String) : null
    const frontier = [await stores.frontier.host(document.host), await stores.frontier.isQueued(document)]
    const prices = (await versions.prices(document.id, { limit: 100 })).map((price) => ({
      ...price,
      documentId: numberOf(price.documentId),
      versionId: numberOf(price.versionId),
    }))
    const found = { prices, noise: await versions.noise(document.id) }
    const numbers = { id: numberOf(document.id), versionId: numberOf(document.versionId) }
    return { ...document, ...numbers, told, changes, frontier, found }
  }
  return Promise.all((await versions.documents({ after: 0, limit: 10_000 })).map(read))
}

const compared = { from: undefined, to: undefined, form: 'words', context: 3, raw: false } as const

function plainVersion(version: Version, numberOf: (id: number) => number) {
  return {
    ...version,
    id: numberOf(version.id),
    documentId: numberOf(version.documentId),
    originalId: numberOf(version.originalId),
    digest: version.digest.toString('hex'),
    record: version.record !== null,
  }
}

const hashed = (value: unknown): unknown => {
  const text = JSON.stringify(value)
  return text.length < 2000 ? JSON.parse(text) : createHash('sha256').update(text).digest('hex')
}

/** Which documents were crawled for all, and which ones the watches reached. */
async function accessOf({ versions, watches }: StoreSet, numberOf: (id: number) => number): Promise<unknown> {
  const documents = (await versions.documents({ after: 0, limit: 10_000 })).map(({ id }) => id)
  const forAll = await versions.crawledForAll(documents)
  const reached = await versions.reached({ documents, watches: (await watches.all()).map(({ id }) => id) })
  assert.ok(forAll.size > 0 && reached.length > 0, `${forAll.size} crawled for all, ${reached.length} reached`)
  const rows = reached.map(({ document, watch, hops }) => [numberOf(document), watch, hops])
  return {
    forAll: [...forAll].map(numberOf).sort((a, b) => a - b),
    reached: rows.sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!),
  }
}

async function watchesOf({ watches }: StoreSet, numberOf: (id: number) => number): Promise<unknown[]> {
  return Promise.all(
    (await watches.all()).map(async (watch) => ({
      ...watch,
      mark: numberOf(watch.mark),
      finishedMark: numberOf(watch.finishedMark),
      checks: await watches.checks(watch.id, 100),
    })),
  )
}

async function accountOf({ accounts, sessions, tokens }: StoreSet, email: string): Promise<unknown> {
  const account = (await accounts.findByEmail(email))!
  return { account, sessions: await sessions.list(account.id, 0), tokens: await tokens.list(account.id) }
}

async function inboxOf({ inbox }: StoreSet, owner: string, numberOf: (id: number) => number): Promise<unknown> {
  const parsed = parseSearchQuery('java')
  assert.ok(parsed.kind === 'query')
  const filters = [...inboxStates.map((state) => ({ state })), { state: 'all' as const, query: parsed.query }]
  const all = { before: null, limit: 1000 }
  const lists = filters.map((filter) => inbox.list(owner, filter, all))
  const pages = filters.map(async (filter) => (await inbox.pages(owner, filter, all)).items)
  return {
    counts: await inbox.counts(owner),
    lists: (await Promise.all([...lists, ...pages])).map((list) =>
      list.map((item) => ({
        ...item,
        documentId: numberOf(item.documentId),
        versionId: numberOf(item.versionId),
        cluster: numberOf(item.cluster),
      })),
    ),
  }
}
