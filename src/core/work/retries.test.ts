import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createManualClock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { createRetries, createRetryLog, describePublicly, describeWaiting } from './retries.ts'
import { retry } from './retry.ts'

const START = Date.UTC(2026, 0, 1)
const away = new AppError('store-unreachable', 'PostgreSQL: connect ECONNREFUSED 10.0.0.1:5432')
const locked = new AppError('store-busy', 'PostgreSQL: canceling statement due to statement timeout')

function setUp() {
  const clock = createManualClock(START)
  const retries = createRetries(clock)
  const lines: string[] = []
  const note =
    (level: string) =>
    (fields: object, message: string): void => {
      const { error = '', seconds } = fields as { error?: string; seconds: number }
      lines.push(`${level} ${message} (${seconds} s) ${error}`.trim())
    }
  const log = createRetryLog({ clock, log: { warn: note('warn'), info: note('info') } })
  /** Polls once a second, as a process does. */
  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1_000)
      log.look(retries.waiting())
    }
  }
  return { clock, retries, lines, pass }
}

describe('retries', () => {
  test('are reported after failing for some seconds, with task, start time and reason', () => {
    const { retries, pass } = setUp()
    const track = retries.track('taking over partitions')
    track.failed(locked)
    pass(2)
    assert.deepEqual(retries.waiting(), [])
    pass(1)
    const [waiting] = retries.waiting()
    assert.deepEqual(waiting, {
      what: 'taking over partitions',
      since: START,
      code: 'store-busy',
      reason: locked.message,
    })
    assert.equal(
      describeWaiting([waiting!]),
      `taking over partitions since 2026-01-01T00:00:00Z: PostgreSQL: canceling statement due to statement timeout`,
    )
    assert.deepEqual(describePublicly([waiting!]), [
      'waiting: taking over partitions since 2026-01-01T00:00:00Z (store-busy)',
    ])
    track.done()
    assert.deepEqual(retries.waiting(), [])
  })

  test('are reported while the first answer is late, unless mayTakeLong is set', async () => {
    const { retries, pass } = setUp()
    const answer = Promise.withResolvers<void>()
    const limits = { firstMs: 1, lastMs: 1 }
    const short = retry(() => answer.promise, { ...limits, track: retries.track('short') })
    const long = retry(() => answer.promise, { ...limits, track: retries.track('long'), mayTakeLong: true })
    pass(5)
    assert.deepEqual(
      retries.waiting().map(({ what, code, reason }) => [what, code, reason]),
      [['short', null, 'no answer yet']],
    )
    answer.resolve()
    await Promise.all([short, long])
    assert.deepEqual(retries.waiting(), [])
  })

  test('are tracked by retry() until success or a permanent failure', async () => {
    for (const ending of ['done', 'refused'] as const) {
      const { clock, retries } = setUp()
      let seen = 0
      const result = retry(
        async (attempt) => {
          if (attempt <= 3) throw away
          if (ending === 'refused') throw new AppError('store-refused', 'no rights')
        },
        {
          ...{ firstMs: 1, lastMs: 1, track: retries.track('writing pages') },
          async wait() {
            clock.advance(2_000)
            seen = retries.waiting().length
          },
        },
      )
      await (ending === 'done' ? result : assert.rejects(result, /no rights/))
      assert.equal(seen, 1)
      assert.deepEqual(retries.waiting(), [])
    }
  })

  test('of the same task are reported as one until the last is done', () => {
    const { retries, pass } = setUp()
    const [one, two] = [retries.track('writing pages'), retries.track('writing pages')]
    one.begin()
    two.failed(away)
    pass(10)
    assert.deepEqual(
      retries.waiting().map(({ code, since }) => [code, since]),
      [['store-unreachable', START]],
    )
    two.done()
    assert.equal(retries.waiting().length, 1)
    one.done()
    assert.deepEqual(retries.waiting(), [])
  })

  test('are forgotten if they stop failing, unless they were started with begin()', () => {
    const { retries, pass } = setUp()
    const awaited = retries.track('writing pages')
    awaited.begin()
    awaited.failed(away)
    const repeated = retries.track('heartbeat')
    retries.track('reading the queue').failed(away)
    repeated.failed(away)
    pass(100)
    assert.equal(retries.waiting().length, 3)
    repeated.failed(away)
    pass(100)
    assert.deepEqual(
      retries.waiting().map(({ what }) => what),
      ['writing pages', 'heartbeat'],
    )
  })

  test('adopted from a thread are reported until the thread sends a new list', () => {
    const { retries, lines, pass } = setUp()
    const waiting = { what: 'indexing', since: START, code: 'store-unreachable', reason: away.message } as const
    retries.adopt('indexer', [waiting])
    pass(1)
    assert.deepEqual(retries.waiting(), [waiting])
    retries.adopt('indexer', [])
    pass(6)
    assert.deepEqual(retries.waiting(), [])
    assert.equal(lines.length, 2)
  })
})

describe('retry log', () => {
  test('warns at the start, then at growing intervals, and notes the recovery', () => {
    const { retries, lines, pass } = setUp()
    const track = retries.track('taking over partitions')
    track.begin()
    track.failed(locked)
    pass(150)
    track.done()
    pass(20)
    const line = 'warn waiting for the store: taking over partitions'
    assert.deepEqual(lines, [
      `${line} (3 s) ${locked.message}`,
      `${line} (33 s) ${locked.message}`,
      `${line} (93 s) ${locked.message}`,
      'info the store works again (150 s)',
    ])
  })

  test('does not flap on intermittent failures', () => {
    const { retries, lines, pass } = setUp()
    const track = retries.track('renewing leases')
    for (let times = 0; times < 10; times++) {
      track.failed(away)
      pass(4)
      track.done()
      pass(2)
    }
    pass(10)
    assert.equal(lines.filter((line) => line.startsWith('info')).length, 1)
    assert.ok(lines.length <= 3, lines.join('\n'))
  })

  test('logs one line when further tasks fail, and one when the error changes', () => {
    const { retries, lines, pass } = setUp()
    const beat = retries.track('heartbeat')
    beat.failed(away)
    pass(4)
    retries.track('writing pages').failed(away)
    retries.track('listening').failed(away)
    pass(4)
    beat.failed(locked)
    pass(10)
    assert.deepEqual(
      lines.map((line) => line.replace(/ \(.*/, '')),
      [
        'warn waiting for the store: heartbeat',
        'warn waiting for the store: heartbeat, writing pages, listening',
        'warn waiting for the store: heartbeat, writing pages, listening',
      ],
    )
    assert.match(lines[2]!, /statement timeout/)
  })

  test('omits tasks that their owner logs', () => {
    const { retries, lines, pass } = setUp()
    retries.track('writing pages', { isLogged: true }).failed(away)
    pass(60)
    assert.equal(retries.waiting().length, 1)
    assert.deepEqual(lines, [])
  })
})
