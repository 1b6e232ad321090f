import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../core/errors.ts'
import { createRecordingIo, engineWith, useCliFolder } from '../cli.testkit.ts'
import { runCli } from '../run-cli.ts'
import { keysOf } from './keyboard.ts'
import { createTestControl, nodeOf, snapshotOf } from './top.testkit.ts'

const store = ['--store', 'postgres://x@127.0.0.1/x']
const ENTER = '\u001b[?1049h'
const LEAVE = '\u001b[?1049l'

describe('erace top', () => {
  const folder = useCliFolder()

  const run = (argv: string[], snapshot = snapshotOf()) => {
    const { control, asked } = createTestControl(() => snapshot)
    return folder.run(['top', ...store, ...argv], { engine: { control: async () => control } }).then((result) => ({
      ...result,
      asked,
    }))
  }

  test('prints one report and exits if there is no terminal', async () => {
    const { code, out, asked } = await run([])
    assert.equal(code, 0)
    assert.match(out, /^erace top {2}1 node {2}run 3 running/)
    assert.match(out, /^ {2}m1 +worker m1\.example:7 +running +64 +12\.3/m)
    assert.ok(!out.includes('\u001b'))
    assert.deepEqual(asked, ['close'])
  })

  test('prints the snapshot as JSON with the state of each node', async () => {
    const { out } = await run(['--json'], snapshotOf({ nodes: [nodeOf(), nodeOf({ id: 'b', seenMsAgo: 1e9 })] }))
    const report = JSON.parse(out)
    assert.deepEqual(
      [report.queued, report.nodes[0].state, report.nodes[1].state, report.nodes[0].stats.perSecond],
      [1_234_567, 'running', 'lost', 12.34],
    )
  })

  for (const [argv, did, words, json] of [
    [['--drain', 'm1'], 'drain m1', /^m1 is draining: it hands over its partitions/, { node: 'm1', draining: true }],
    [['--undrain', 'm1'], 'undrain m1', /^m1 is back at work\n$/, { node: 'm1', draining: false }],
    [['--pause'], 'pause', /^crawl paused; erace top --resume/, { paused: true }],
    [['--resume'], 'resume', /^crawl resumed\n$/, { paused: false }],
  ] as const)
    test(`carries out ${argv[0]} and reports it`, async () => {
      const reported = await run([...argv])
      assert.deepEqual([reported.code, reported.asked], [0, [did, 'close']])
      assert.match(reported.out, words)
      assert.deepEqual(JSON.parse((await run([...argv, '--json'])).out), json)
    })

  test('reports all usage errors at once, without opening the store', async () => {
    const wrong = ['--pause', '--resume', '--drain', '', 'word']
    assert.deepEqual((await run(wrong)).asked, [])
    const { code, err } = await folder.run(['top', ...wrong])
    assert.equal(code, 2)
    assert.match(err, /word: top takes no arguments/)
    assert.match(err, /--drain --pause --resume: use only one of them/)
    assert.match(err, /--store: top needs the address of the shared store/)
  })

  test('reports a startup failure without switching screens', async () => {
    const world = createRecordingIo({ columns: 80, rows: 24 })
    const control = async () => Promise.reject(new AppError('store-refused', 'PostgreSQL: no'))
    const argv = ['top', ...store]
    const code = await runCli({ argv, env: {}, cwd: folder.cwd, io: world.io, engine: engineWith({ control }) })
    assert.deepEqual([code, world.out(), world.listening()], [1, '', 0])
    assert.match(world.err(), /erace top: PostgreSQL: no/)
  })
})

describe('erace top on a terminal', () => {
  const folder = useCliFolder()

  /** Starts it and waits for the first drawing. */
  async function start(snapshot = snapshotOf(), env: Record<string, string> = {}) {
    const world = createRecordingIo({ columns: 80, rows: 24 })
    const { control, asked } = createTestControl(() => snapshot)
    const engine = engineWith({ control: async () => control })
    const ended = runCli({ argv: ['top', ...store], env, cwd: folder.cwd, io: world.io, engine })
    while (!world.out().includes('erace top')) await new Promise(setImmediate)
    let read = 0
    return {
      ...world,
      control,
      asked,
      ended,
      /** What was drawn since the last call. */
      async drawn() {
        await new Promise(setImmediate)
        const text = world.out().slice(read)
        read = world.out().length
        return text
      },
    }
  }

  test('switches to the alternate screen and restores the terminal on exit', async () => {
    const top = await start()
    assert.ok(top.out().startsWith(ENTER))
    assert.equal(top.listening(), 4)
    top.press('q')
    assert.equal(await top.ended, 0)
    assert.ok(top.out().endsWith(LEAVE))
    assert.deepEqual([top.listening(), top.asked], [0, ['close']])
  })

  for (const end of ['SIGTERM', 'SIGHUP', 'SIGINT', 'ctrl-c'] as const)
    test(`restores the terminal on ${end}`, async () => {
      const top = await start()
      if (end === 'ctrl-c') top.press(end)
      else top.raise(end)
      assert.equal(await top.ended, 130)
      assert.ok(top.out().endsWith(LEAVE))
      assert.equal(top.listening(), 0)
    })

  test('drains the selected node only after confirmation', async () => {
    const nodes = [nodeOf(), nodeOf({ id: 'm2-8-bbbbbb', name: 'm2', draining: true })]
    const top = await start(snapshotOf({ nodes }))
    top.press('d')
    assert.match(await top.drawn(), /drain m1 \(m1-7-abcdef\)\? other nodes take its partitions \(y\/n\)/)
    top.press('n')
    assert.match(await top.drawn(), /cancelled/)
    for (const key of ['j', 'down', 'd', 'y']) top.press(key)
    assert.match(await top.drawn(), /m2 \(m2-8-bbbbbb\) is back at work/)
    for (const key of ['k', 'd', 'y']) top.press(key)
    await top.drawn()
    top.press('q')
    await top.ended
    assert.deepEqual(top.asked, ['undrain m2-8-bbbbbb', 'drain m1-7-abcdef', 'close'])
  })

  test('pauses and resumes after confirmation, and reports failures', async () => {
    const top = await start(snapshotOf({ paused: true }))
    for (const key of ['p', 'y']) top.press(key)
    assert.match(await top.drawn(), /crawl resumed/)
    top.control.pause = () => Promise.reject(new AppError('store-unreachable', 'PostgreSQL: gone\u001b[2J'))
    for (const key of ['p', 'y']) top.press(key)
    assert.match(await top.drawn(), /failed: PostgreSQL: gone\?\[2J/)
    top.press('q')
    await top.ended
    assert.deepEqual(top.asked, ['resume', 'close'])
  })

  test('shows help on ? and ignores unknown keys', async () => {
    const top = await start()
    await top.drawn()
    for (const key of ['x', 'Z', 'enter']) top.press(key)
    assert.equal(await top.drawn(), '')
    top.press('?')
    assert.match(await top.drawn(), /pause or resume the crawl of the whole cluster/)
    top.press('p')
    assert.doesNotMatch(await top.drawn(), /pause the crawl/)
    top.press('q')
    await top.ended
  })

  test('keeps the last snapshot and shows the error while the store does not answer', async () => {
    const top = await start()
    const { snapshot } = top.control
    top.control.snapshot = () => Promise.reject(new AppError('store-unreachable', 'PostgreSQL: connect ECONNREFUSED'))
    top.press('r')
    const drawn = await top.drawn()
    assert.match(drawn, /no answer: PostgreSQL: connect ECONNREFUSED; retrying/)
    assert.match(drawn, /m1 +worker running/)
    top.control.snapshot = snapshot
    top.press('r')
    assert.match(await top.drawn(), /q quit/)
    top.press('q')
    assert.equal(await top.ended, 0)
  })

  test('uses no colours with NO_COLOR', async () => {
    for (const [env, coloured] of [
      [{}, true],
      [{ NO_COLOR: '1' }, false],
    ] as const) {
      const top = await start(snapshotOf(), env)
      top.press('q')
      await top.ended
      assert.equal(top.out().includes('\u001b[7m'), coloured)
    }
  })
})

describe('key input', () => {
  test('is decoded from terminal sequences', () => {
    const keys = keysOf('jq?\u001b[A\u001b[B\u001bOA\u001b[5~\r\u0003\u001b')
    assert.equal(keys.join(' '), 'j q ? up down up page-up enter ctrl-c escape')
  })

  test('ignores unknown sequences', () => {
    assert.deepEqual(keysOf('\u001b[1;5D\u001b[200~\u0001\u007f\u001b[31m'), [])
  })
})
