import type { NodeReport } from '../../store/contracts/cluster/nodes.ts'
import { type CommandContext, exitCodes } from '../command.ts'
import type { ClusterControl, ClusterSnapshot } from '../engine.ts'
import type { CliIo, StopSignal } from '../output/io.ts'
import { printable } from '../output/terminal-text.ts'
import type { Key } from './keyboard.ts'
import { topLines } from './top-screen.ts'

/**
 * The live monitor. It is in one of these states:
 * - viewing: keys select, ask or quit;
 * - asking: `y` confirms, every other key cancels;
 * - help: any key closes it.
 * It polls every second in every state; when the store does not answer, the last snapshot stays and the footer says why.
 */
const POLL_EVERY_MS = 1_000
/** Rates cover this many snapshots. */
const SNAPSHOTS_KEPT = 6
const MESSAGE_POLLS = 4
const PAGE = 10

/** `first` is taken before the screen changes, so that a wrong address is reported where the user sees it. */
export async function runMonitor(
  context: CommandContext,
  control: ClusterControl,
  first: ClusterSnapshot,
): Promise<number> {
  const end = Promise.withResolvers<number>()
  const monitor = createMonitor(context, control, first, () => end.resolve(exitCodes.done))
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const again = (): void => {
    if (!isOver) timer = setTimeout(() => void monitor.poll().then(again), POLL_EVERY_MS)
  }
  const onStop = (): void => end.resolve(exitCodes.interrupted)
  return onAlternateScreen(context.io, { onKey: monitor.onKey, onStop }, async () => {
    monitor.draw()
    again()
    const code = await end.promise
    isOver = true
    monitor.end()
    clearTimeout(timer)
    return code
  })
}

function createMonitor(
  { io, colour, config }: CommandContext,
  control: ClusterControl,
  first: ClusterSnapshot,
  quit: () => void,
) {
  const { leaseMs } = config.cluster
  const snapshots: ClusterSnapshot[] = [first]
  let chosen = first.nodes[0]?.id ?? ''
  let question: Question | null = null
  let message = ''
  let messagePolls = 0
  let help = false
  let ended = false

  const now = (): ClusterSnapshot => snapshots.at(-1)!
  const selected = (): number =>
    Math.max(
      0,
      now().nodes.findIndex(({ id }) => id === chosen),
    )

  function draw(): void {
    if (ended) return
    const size = { columns: io.stdout.columns ?? 80, rows: io.stdout.rows ?? 24 }
    const before = snapshots.length > 1 ? snapshots[0]! : null
    const words = question?.text ?? message
    const lines = topLines({
      before,
      snapshot: now(),
      leaseMs,
      size,
      colour,
      selected: selected(),
      message: words,
      help,
    })
    io.stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`)
  }

  function say(text: string): void {
    message = text
    messagePolls = MESSAGE_POLLS
    draw()
  }

  async function poll(): Promise<void> {
    try {
      snapshots.push(await control.snapshot())
      if (snapshots.length > SNAPSHOTS_KEPT) snapshots.shift()
      if (--messagePolls <= 0) message = ''
    } catch (error) {
      message = `no answer: ${messageOf(error)}; retrying`
      messagePolls = 1
    }
    draw()
  }

  function select(step: number): void {
    const { nodes } = now()
    chosen = nodes[Math.max(0, Math.min(nodes.length - 1, selected() + step))]?.id ?? ''
    draw()
  }

  function ask(next: Question | null): void {
    question = next
    draw()
  }

  function answer({ act }: Question, key: Key): void {
    question = null
    if (key !== 'y' && key !== 'Y') {
      say('cancelled')
      return
    }
    say('…')
    act().then(
      (done) => {
        say(done)
        void poll()
      },
      (error: unknown) => say(`failed: ${messageOf(error)}`),
    )
  }

  function showHelp(shows: boolean): void {
    help = shows
    draw()
  }

  const steps: ReadonlyMap<Key, () => void> = new Map(
    Object.entries({
      j: () => select(1),
      down: () => select(1),
      k: () => select(-1),
      up: () => select(-1),
      'page-down': () => select(PAGE),
      'page-up': () => select(-PAGE),
      home: () => select(-now().nodes.length),
      end: () => select(now().nodes.length),
      d: () => ask(askDrain(control, now().nodes[selected()])),
      p: () => ask(askPause(control, !now().paused)),
      r: () => void poll(),
      q: quit,
      '?': () => showHelp(true),
    }),
  )

  return {
    draw,
    poll,
    onKey(key: Key): void {
      if (question !== null) answer(question, key)
      else if (help && key !== 'q') showHelp(false)
      else steps.get(key)?.()
    },
    end(): void {
      ended = true
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** The alternate screen, without a cursor and without line wrapping. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J'
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l'

type ScreenHooks = {
  onKey(key: Key): void
  /** Ctrl-C, or a signal to end. */
  onStop(): void
}

/** Runs work on the alternate screen. However it ends, the terminal gets back its screen, cursor and keys. */
async function onAlternateScreen<T>(io: CliIo, { onKey, onStop }: ScreenHooks, work: () => Promise<T>): Promise<T> {
  for (const name of stopSignals) io.on(name, onStop)
  const silence = io.keyboard.listen((key) => (key === 'ctrl-c' ? onStop() : onKey(key)))
  try {
    io.stdout.write(ENTER)
    return await work()
  } finally {
    io.stdout.write(LEAVE)
    silence()
    for (const name of stopSignals) io.off(name, onStop)
  }
}

/** An action that needs confirmation. */
type Question = {
  text: string
  /** Returns what was done. */
  act(): Promise<string>
}

/** Null without a node. */
function askDrain(control: ClusterControl, node: NodeReport | undefined): Question | null {
  if (node === undefined) return null
  const draining = !node.draining
  const name = `${printable(node.name, 40)} (${printable(node.id, 60)})`
  return {
    text: draining ? `drain ${name}? other nodes take its partitions (y/n)` : `put ${name} back to work? (y/n)`,
    act: async () => {
      await control.drain(node.id, draining)
      return draining ? `${name} is draining` : `${name} is back at work`
    },
  }
}

function askPause(control: ClusterControl, paused: boolean): Question {
  return {
    text: paused ? 'pause the crawl on all nodes? (y/n)' : 'resume the crawl? (y/n)',
    act: async () => {
      await control.pause(paused)
      return paused ? 'crawl paused' : 'crawl resumed'
    },
  }
}
