import { responseRecord } from '../../src/archive/warc/record-writer.ts'
import { configOf } from '../../src/config/load-config.ts'
import { systemClock } from '../../src/core/clock.ts'
import { deliveryDefaults, type Profile } from '../../src/core/profile.ts'
import { noCheck } from '../../src/core/request.ts'
import { bodyDigest, digestText } from '../../src/core/url/fingerprint.ts'
import { createProcessor } from '../../src/services/annotating/processor.ts'
import { createProfileKeys } from '../../src/services/profiles/keyed-profile.ts'
import { pageOf } from '../../src/store/conformance/samples.testkit.ts'
import type { AnnotationBatch, NearDuplicateStore } from '../../src/store/contracts/annotations.ts'
import type { Capture } from '../../src/store/contracts/documents.ts'
import { profileOf, sourceOf } from '../../test/watch/up-run.ts'
import { createProse, renderPage } from '../origin/page.ts'
import { createRandom } from '../origin/random.ts'
import type { BenchStore, EngineName } from './stores.ts'

/** Cost of a version, from the task to its annotations, with (`on`) and without (`off`) channels. */
export type OutboxCost = OutboxLoad & { store: EngineName; on: Spent; off: Spent }

/** Wall time, and CPU time of this process and the database. */
export type Spent = { ms: number; cpuMs: number }

export type OutboxLoad = { pageBytes: number; recipients: number; rounds: number }

const PAGES = 16
const LINKS = 20
const KEYWORD = 'kettle'
const TYPE = 'text/html; charset=utf-8'
const paragraphs = /<p[ >]/g
/** One paragraph in this many changes from version to version, different ones each time. */
const CHANGED_ONE_IN = 40

/**
 * The annotation engine's own processor on changing versions. Rounds with and without channels alternate: the same pages and
 * recipients, but half of the rounds commit without channels.
 */
export async function measureOutboxCost(store: BenchStore, load: OutboxLoad): Promise<OutboxCost> {
  const { stores, documents, name } = store
  const pages = createPages(store.host, load.pageBytes)
  await stores.profiles.put(recipientsOf(pages, load.recipients).map(createProfileKeys({})))
  const watches = (await stores.profiles.urdsOf('p0')).map(({ watch }) => watch)
  const sending = { isOn: true }
  let made = 0
  const processor = createProcessor({
    stores: { ...stores, annotations: { ...stores.annotations, ...committing(stores.annotations, sending) } },
    nearDuplicates: decidingWith(store.nearDuplicates, sending),
    ...{ config: configOf(), clock: systemClock, keyOf: () => null, part: 0, parts: 1 },
    events: {
      onSettled(ids) {
        made += ids.length
      },
      onRefused: () => fail('a task was refused'),
      onProblem: (message, fields) => fail(`${message} ${JSON.stringify(fields)}`),
    },
  })

  async function round(n: number): Promise<Spent> {
    await documents.record(pages.map((page, place) => page.version(n, watches[place]!)))
    made = 0
    const [startedAt, startedCpu] = [performance.now(), store.processorMs()]
    while (await processor.work(() => false));
    const spent = { ms: (performance.now() - startedAt) / PAGES, cpuMs: (store.processorMs() - startedCpu) / PAGES }
    if (made !== PAGES * load.recipients) fail(`${made} annotations instead of ${PAGES * load.recipients}`)
    return spent
  }

  const rounds: Record<'on' | 'off', Spent[]> = { on: [], off: [] }
  // The first rounds include compilation, and the first version of each page is compared with nothing.
  const warmUp = Math.ceil(load.rounds / 4) * 2
  for (let n = 0; n < warmUp + load.rounds * 2; n++) {
    // In the order on, off, off, on, so that growth from round to round affects both equally.
    sending.isOn = n % 4 === 0 || n % 4 === 3
    const spent = await round(n)
    if (n >= warmUp) rounds[sending.isOn ? 'on' : 'off'].push(spent)
  }
  return { ...load, store: name, on: spentIn(rounds.on), off: spentIn(rounds.off) }
}

function spentIn(rounds: readonly Spent[]): Spent {
  return { ms: middleOf(rounds.map(({ ms }) => ms)), cpuMs: middleOf(rounds.map(({ cpuMs }) => cpuMs)) }
}

/** The interquartile mean, which excludes garbage collections and other load. */
function middleOf(values: readonly number[]): number {
  const quarter = Math.floor(values.length / 4)
  const middle = values.toSorted((a, b) => a - b).slice(quarter, values.length - quarter)
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}

function fail(message: string): never {
  throw new Error(message)
}

type Sending = { isOn: boolean }
type Committing = { commit(batch: AnnotationBatch): Promise<unknown> }

function committing<S extends Committing>({ commit }: S, sending: Sending): Pick<S, 'commit'> {
  return {
    commit: (batch: AnnotationBatch) =>
      commit({
        ...batch,
        annotations: batch.annotations.map(({ channels = [], ...draft }) => ({
          ...draft,
          channels: sending.isOn ? channels : [],
        })),
      }),
  } as Pick<S, 'commit'>
}

function decidingWith(nearDuplicates: NearDuplicateStore, sending: Sending): NearDuplicateStore {
  return {
    decide: (bands, commit) =>
      nearDuplicates.decide(bands, (met) =>
        commit({ ...met, annotations: { ...met.annotations, ...committing(met.annotations, sending) } }),
      ),
  }
}

function recipientsOf(pages: readonly { uri: string }[], count: number): Profile[] {
  const sources = pages.map(({ uri }) => sourceOf(uri))
  return Array.from({ length: count }, (_, n) => ({
    ...profileOf(`p${n}`, `user-${n}@example.org`, sources, { [KEYWORD]: 1 }),
    delivery: { ...deliveryDefaults, channels: ['inbox', `c${n}`] },
  }))
}

function createPages(host: string, targetBytes: number) {
  const random = createRandom(7)
  const prose = createProse(random)
  return Array.from({ length: PAGES }, (_, place) => {
    const path = `/page/${place}.html`
    const uri = `http://${host}${path}`
    const hrefs = Array.from({ length: LINKS }, (_, link) => `/news/${place}/${link}.html`)
    const first = renderPage({ title: prose.phrase(6), hrefs, targetBytes }, prose, random).toString()
    const oneIn = Math.min(CHANGED_ONE_IN, first.match(paragraphs)!.length)
    return {
      uri,
      version(n: number, watch: number): Capture {
        let paragraph = 0
        const text = first.replaceAll(paragraphs, (tag) =>
          paragraph++ % oneIn === n % oneIn ? `<p>${KEYWORD} ${prose.phrase(8)}</p>${tag}` : tag,
        )
        const body = Buffer.from(text)
        const at = systemClock.now()
        const { parts } = responseRecord({
          ...{ uri, date: at, address: '192.0.2.1', statusLine: 'HTTP/1.1 200 OK', body, truncated: null },
          ...{ rawHeaders: ['content-type', TYPE], payloadDigest: digestText(bodyDigest(body)) },
        })
        const check = { ...noCheck, watch, round: at }
        return pageOf(host, path, text, { check, run: watch, at, type: TYPE, render: () => parts })
      },
    }
  })
}
