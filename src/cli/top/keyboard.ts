/** Keys as they are pressed, for what is steered while it is drawn. */
export type Keyboard = {
  /** Whether there is one. */
  readonly isThere: boolean
  /** Unseen and without waiting for Enter, until the returned function is called, which gives the terminal back as it was. */
  listen(onKey: (key: Key) => void): () => void
}

/** A letter or sign as it stands on the key, or one of these. */
export type Key = string

const names: Readonly<Record<string, Key>> = {
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
}

const ESCAPE = '\u001b'
const sequence = new RegExp(`${ESCAPE}(?:\\[[0-9;?]*[@-~]|O[A-Z])|[^]`, 'gu')
const steering = /\p{C}/u

/** What one reading of a terminal brought: keys, some of which come as several characters. Unknown ones say nothing. */
export function keysOf(text: string): Key[] {
  const keys: Key[] = []
  for (const [part] of text.matchAll(sequence)) {
    const key = names[part] ?? (steering.test(part) ? undefined : part)
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
      // A terminal that went away presses nothing any more.
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
