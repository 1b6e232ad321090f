import { isAppError } from '../core/errors.ts'
import { type CommandContext, exitCodes } from './command.ts'
import type { ClusterControl, ClusterLook } from './engine.ts'
import type { StopSignal } from './io.ts'
import type { Key } from './keyboard.ts'
import { printable } from './terminal-text.ts'
import { rowsOf } from './top-figures.ts'
import { topLines } from './top-screen.ts'

/**
 * The live monitor. It is in one of these states:
 * - looking: keys select, ask or quit;
 * - asking: `y` does what was asked about, every other key leaves it;
 * - helping: any key closes the help.
 * Each second it looks anew, whatever the state; when the store does not answer, what was seen last stays, and the foot says why.
 * However it ends, the terminal gets back its screen, its cursor and its keys.
 */
const LOOK_EVERY_MS = 1_000
/** Rates are those of about so many looks. */
const LOOKS_KEPT = 6
const MESSAGE_LOOKS = 4
const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Another screen, without a cursor and without lines that go on in the next one. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J'
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l'

type Asked = { question: string; act(): Promise<string> }

/** `first`: taken before the screen is changed, so that a wrong address is told where it will be read. */
export async function runMonitor(
  context: CommandContext,
  control: ClusterControl,
  first: ClusterLook,
): Promise<number> {
  const { io, colour, config } = context
  const { leaseMs } = config.cluster
  const looks: ClusterLook[] = [first]
  const end = Promise.withResolvers<number>()
  let chosen = first.nodes[0]?.id ?? ''
  let asked: Asked | null = null
  let message = ''
  let messageLooks = 0
  let help = false
  let ended = false

  const now = (): ClusterLook => looks.at(-1)!
  const place = (): number =>
    Math.max(
      0,
      now().nodes.findIndex(({ id }) => id === chosen),
    )

  function draw(): void {
    if (ended) return
    const size = { columns: io.stdout.columns ?? 80, rows: io.stdout.rows ?? 24 }
    const before = looks.length > 1 ? looks[0]! : null
    const words = asked?.question ?? message
    const lines = topLines({ before, look: now(), leaseMs, size, colour, selected: place(), message: words, help })
    io.stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`)
  }

  function say(text: string): void {
    message = text
    messageLooks = MESSAGE_LOOKS
    draw()
  }

  async function look(): Promise<void> {
    try {
      looks.push(await control.look())
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
    chosen = nodes[Math.max(0, Math.min(nodes.length - 1, place() + step))]?.id ?? ''
    draw()
  }

  function askDrain(): void {
    const node = rowsOf(now(), leaseMs)[place()]
    if (node === undefined) {
      say('there is no node to drain')
      return
    }
    const draining = !now().nodes[place()]!.draining
    const name = `${printable(node.name, 40)} (${printable(node.id, 60)})`
    asked = {
      question: draining ? `drain ${name}? its partitions go to others (y/n)` : `let ${name} take part again? (y/n)`,
      act: async () => {
        await control.drain(node.id, draining)
        return draining ? `${name} drains` : `${name} takes part again`
      },
    }
    draw()
  }

  function askPause(): void {
    const paused = !now().paused
    asked = {
      question: paused ? 'pause the crawl of all nodes? (y/n)' : 'resume the crawl? (y/n)',
      act: async () => {
        await control.pause(paused)
        return paused ? 'the crawl is paused' : 'the crawl goes on'
      },
    }
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
        void look()
      },
      (error: unknown) => say(`not done: ${wordsOf(error)}`),
    )
  }

  const steps: Readonly<Record<Key, () => void>> = {
    j: () => select(1),
    down: () => select(1),
    k: () => select(-1),
    up: () => select(-1),
    'page-down': () => select(10),
    'page-up': () => select(-10),
    home: () => select(-now().nodes.length),
    end: () => select(now().nodes.length),
    d: askDrain,
    p: askPause,
    r: () => void look(),
    q: () => end.resolve(exitCodes.done),
    '?': () => {
      help = true
      draw()
    },
  }

  const interrupted = (): void => end.resolve(exitCodes.interrupted)
  const onKey = (key: Key): void => {
    if (key === 'ctrl-c') interrupted()
    else if (asked !== null) answer(asked, key)
    else if (help && key !== 'q') {
      help = false
      draw()
    } else steps[key]?.()
  }

  let timer: NodeJS.Timeout | undefined
  const again = (): void => {
    timer = setTimeout(() => void look().then(() => ended || again()), LOOK_EVERY_MS)
  }
  for (const name of stopSignals) io.on(name, interrupted)
  const silence = io.keyboard.listen(onKey)
  io.stdout.write(ENTER)
  try {
    draw()
    again()
    return await end.promise
  } finally {
    ended = true
    clearTimeout(timer)
    io.stdout.write(LEAVE)
    silence()
    for (const name of stopSignals) io.off(name, interrupted)
  }
}

function wordsOf(error: unknown): string {
  return isAppError(error) || error instanceof Error ? error.message : String(error)
}
