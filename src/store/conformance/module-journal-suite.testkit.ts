import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JournalContent, JournalPage, ModuleCheckpoint } from '../contracts/module-journal.ts'
import { type StoreEngine, withSystem } from './engine.testkit.ts'

const body = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256)

function pageOf(seq: number, more: Partial<JournalPage> = {}): JournalPage {
  return {
    seq,
    answer: JSON.stringify({ url: `http://a.example/${seq}`, title: 'ü\0 \ud83d\ude00' }),
    body: null,
    ...more,
  }
}

function checkpointOf(module: string, seq: number, state: Uint8Array | null = null): ModuleCheckpoint {
  return { module, seq, report: JSON.stringify({ pages: seq }), state }
}

/** Normalises the result: engines return different kinds of byte arrays and rows. */
function plain({ pages, checkpoints }: JournalContent): JournalContent {
  const bytes = (value: Uint8Array | null) => (value === null ? null : Uint8Array.from(value))
  return {
    pages: pages.map((page) => ({ ...page, body: bytes(page.body) })),
    checkpoints: checkpoints.map((each) => ({ ...each, state: bytes(each.state) })),
  }
}

const numbers = ({ pages }: JournalContent): number[] => pages.map(({ seq }) => seq)
const empty: JournalContent = { pages: [], checkpoints: [] }

/** What every engine promises about the journal of modules. */
export function moduleJournalSuite(engine: StoreEngine): void {
  describe(`module journal (${engine.name})`, () => {
    test(
      'pages and checkpoints are available to the next process until they are dropped',
      withSystem(engine, {}, async (system) => {
        await system.open(1)
        const { moduleJournal, close } = engine.openStores(system)
        const first = moduleJournal()
        assert.deepEqual(await first.open(1), empty)
        await first.append([pageOf(1), pageOf(2, { body }), pageOf(3, { body: new Uint8Array() })])
        await first.append([pageOf(4)])
        await first.save(checkpointOf('b', 1), 0)
        await first.save(checkpointOf('a', 1, body), 1)
        await first.close()

        const second = moduleJournal()
        assert.deepEqual(plain(await second.open(1)), {
          pages: [pageOf(2, { body }), pageOf(3, { body: new Uint8Array() }), pageOf(4)],
          checkpoints: [checkpointOf('a', 1, body), checkpointOf('b', 1)],
        })
        await second.save(checkpointOf('a', 3), 0)
        await second.drop(2)
        await second.close()

        const third = moduleJournal()
        const left = await third.open(1)
        assert.deepEqual(numbers(left), [3, 4])
        assert.deepEqual(plain(left).checkpoints, [checkpointOf('a', 3), checkpointOf('b', 1)])
        await third.close()
        close()
      }),
    )

    test(
      'an append can be repeated without duplicating pages',
      withSystem(engine, {}, async (system) => {
        await system.open(1)
        const { moduleJournal, close } = engine.openStores(system)
        const journal = moduleJournal()
        await journal.open(1)
        await journal.append([pageOf(1), pageOf(2)])
        await journal.append([pageOf(1), pageOf(2)])
        assert.deepEqual(numbers(await journal.open(1)), [1, 2])
        await journal.close()
        close()
      }),
    )

    test(
      'a crawl sees no pages of other crawls, and pages of the service are kept until it continues',
      withSystem(engine, {}, async (system) => {
        await system.open(1)
        const { moduleJournal, close } = engine.openStores(system)
        const journal = moduleJournal()
        async function leave(run: number, seq: number): Promise<void> {
          await journal.append([pageOf(seq)])
          await journal.save(checkpointOf(`of ${run}`, seq), 0)
          await journal.close()
        }
        await journal.open(0)
        await leave(0, 5)
        assert.deepEqual(await journal.open(1), empty)
        await leave(1, 6)
        // A service keeps the pages of an interrupted crawl, which may be continued.
        assert.deepEqual(numbers(await journal.open(0)), [5])
        await journal.close()
        assert.deepEqual(numbers(await journal.open(1)), [6])
        await journal.close()
        assert.deepEqual(await journal.open(2), empty)
        await leave(2, 7)
        assert.deepEqual(await journal.open(1), empty)
        await journal.close()
        const service = await journal.open(0)
        assert.deepEqual(
          service.checkpoints.map(({ module }) => module),
          ['of 0'],
        )
        await journal.clear()
        assert.deepEqual(await journal.open(0), empty)
        await journal.close()
        close()
      }),
    )

    if (engine.isShared)
      test(
        'processes on a shared store have separate journals, and a new one takes over what another left',
        withSystem(engine, {}, async (system) => {
          await system.open(1)
          const processes = Array.from({ length: 4 }, () => engine.openStores(system))
          const [first, second, third, fourth] = processes.map(({ moduleJournal }) => moduleJournal())
          await first!.open(1)
          await second!.open(1)
          await first!.append([pageOf(1)])
          await second!.append([pageOf(1), pageOf(2)])
          await second!.close()
          assert.deepEqual(numbers(await third!.open(1)), [1, 2])
          await third!.clear()
          await first!.close()
          assert.deepEqual(numbers(await fourth!.open(1)), [1])
          await third!.close()
          await fourth!.close()
          for (const { close } of processes) close()
        }),
      )
  })
}
