import type { CliIo, StopSignal } from '../output/io.ts'
import type { Key } from './keyboard.ts'

const stopSignals: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Another screen, without a cursor and without lines that go on in the next one. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J'
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l'

export type ScreenHooks = {
  onKey(key: Key): void
  /** Ctrl-C, or a signal to end. */
  onStop(): void
}

/** Work that draws all over the terminal. However it ends, the terminal gets back its screen, its cursor and its keys. */
export async function onOtherScreen<T>(io: CliIo, { onKey, onStop }: ScreenHooks, work: () => Promise<T>): Promise<T> {
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
