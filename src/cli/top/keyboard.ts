/** Key presses, for interactive screens. */
export type Keyboard = {
  /** Whether there is a terminal. */
  readonly isThere: boolean
  /** Raw mode: no echo, no Enter. The returned function restores the terminal. */
  listen(onKey: (key: Key) => void): () => void
}

/** A character, or one of the names below. */
export type Key = string

const names: ReadonlyMap<string, Key> = new Map(
  Object.entries({
    '\u001b[A': 'up',
    '\u001bOA': 'up',
    '\u001b[B': 'down',
    '\u001bOB': 'down',
    '\u001b[H': 'home',
    '\u001b[F': 'end',
    '\u001b[5~': 'page-up',
    '\u001b[6~': 'page-down',
    '\u001b': 'escape',
    '\r': 'enter',
    '\n': 'enter',
    '\u0003': 'ctrl-c',
    '\u0004': 'ctrl-d',
  }),
)

const ESCAPE = '\u001b'
const sequence = new RegExp(`${ESCAPE}(?:\\[[0-9;?]*[@-~]|O[A-Z])|[^]`, 'gu')
const control = /\p{C}/u

/** The keys in one chunk of input; some are sequences of several characters. Unknown sequences are dropped. */
export function keysOf(text: string): Key[] {
  const keys: Key[] = []
  for (const [part] of text.matchAll(sequence)) {
    const key = names.get(part) ?? (control.test(part) ? undefined : part)
    if (key !== undefined) keys.push(key)
  }
  return keys
}

type Input = Pick<NodeJS.ReadStream, 'isTTY' | 'setRawMode' | 'on' | 'off' | 'pause' | 'resume' | 'setEncoding'>

export function createKeyboard(stdin: Input): Keyboard {
  return {
    isThere: stdin.isTTY === true,
    listen(onKey) {
      const read = (text: string | Buffer): void => {
        for (const key of keysOf(String(text))) onKey(key)
      }
      // A closed terminal sends no more keys.
      const gone = (): void => onKey('ctrl-c')
      stdin.setRawMode(true)
      stdin.setEncoding('utf8')
      stdin.on('data', read)
      stdin.on('end', gone)
      stdin.resume()
      return () => {
        stdin.off('data', read)
        stdin.off('end', gone)
        stdin.setRawMode(false)
        stdin.pause()
      }
    },
  }
}
