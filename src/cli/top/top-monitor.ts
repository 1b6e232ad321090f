import { type CommandContext, exitCodes } from '../command.ts'
import type { ClusterControl, ClusterSnapshot } from '../engine.ts'
import type { Key } from './keyboard.ts'
import { onOtherScreen } from './other-screen.ts'
import { type Asked, askDrain, askPause } from './top-questions.ts'
import { topLines } from './top-screen.ts'

/**
 * The live monitor. It is in one of these states:
 * - looking: keys select, ask or quit;
 * - asking: `y` does what was asked about, every other key leaves it;
 * - helping: any key closes the help.
 * Each second it looks anew, whatever the state; when the store does not answer, what was seen last stays, and the foot says why.
 */
const POLL_EVERY_MS = 1_000
/** Rates are those of about so many looks. */
const LOOKS_KEPT = 6
const MESSAGE_LOOKS = 4
const PAGE = 10

/** `first`: taken before the screen is changed, so that a wrong address is told where it will be read. */
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
    if (!isOver) timer = setTimeout(() => void monitor.snapshot().then(again), POLL_EVERY_MS)
  }
  const onStop = (): void => end.resolve(exitCodes.interrupted)
  return onOtherScreen(context.io, { onKey: monitor.onKey, onStop }, async () => {
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
  const looks: ClusterSnapshot[] = [first]
  let chosen = first.nodes[0]?.id ?? ''
  let asked: Asked | null = null
  let message = ''
  let messageLooks = 0
  let help = false
  let ended = false

  const now = (): ClusterSnapshot => looks.at(-1)!
  const target = (): number =>
    Math.max(
      0,
      now().nodes.findIndex(({ id }) => id === chosen),
    )

  function draw(): void {
    if (ended) return
    const size = { columns: io.stdout.columns ?? 80, rows: io.stdout.rows ?? 24 }
    const before = looks.length > 1 ? looks[0]! : null
    const words = asked?.question ?? message
    const lines = topLines({ before, snapshot: now(), leaseMs, size, colour, selected: target(), message: words, help })
    io.stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`)
  }

  function say(text: string): void {
    message = text
    messageLooks = MESSAGE_LOOKS
    draw()
  }

  async function snapshot(): Promise<void> {
    try {
      looks.push(await control.snapshot())
      if (looks.length > LOOKS_KEPT) looks.shift()
      if (--messageLooks <= 0) message = ''
    } catch (error) {
      message = `no answer: ${wordsOf(error)}; trying again`
      messageLooks = 1
    }
    draw()
  }

  function select(step: number): void {
    const { nodes } = now()
    chosen = nodes[Math.max(0, Math.min(nodes.length - 1, target() + step))]?.id ?? ''
    draw()
  }

  function ask(question: Asked | null): void {
    asked = question
    draw()
  }

  function answer({ act }: Asked, key: Key): void {
    asked = null
    if (key !== 'y' && key !== 'Y') {
      say('left as it was')
      return
    }
    say('…')
    act().then(
      (done) => {
        say(done)
        void snapshot()
      },
      (error: unknown) => say(`not done: ${wordsOf(error)}`),
    )
  }

  function showHelp(shows: boolean): void {
    help = shows
    draw()
  }

  const steps: Readonly<Record<Key, () => void>> = {
    j: () => select(1),
    down: () => select(1),
    k: () => select(-1),
    up: () => select(-1),
    'page-down': () => select(PAGE),
    'page-up': () => select(-PAGE),
    home: () => select(-now().nodes.length),
    end: () => select(now().nodes.length),
    d: () => ask(askDrain(control, now().nodes[target()])),
    p: () => ask(askPause(control, !now().paused)),
    r: () => void snapshot(),
    q: quit,
    '?': () => showHelp(true),
  }

  return {
    draw,
    snapshot,
    onKey(key: Key): void {
      if (asked !== null) answer(asked, key)
      else if (help && key !== 'q') showHelp(false)
      else steps[key]?.()
    },
    end(): void {
      ended = true
    },
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
