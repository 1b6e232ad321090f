import type { Sink } from './io.ts'

/**
 * One line at the bottom of the terminal that is overwritten in place. It uses only carriage returns and blanks, so it
 * works on every terminal. Write all other output through `sink`: the line makes room and reappears below. After
 * `clear` it stays hidden until it is drawn again.
 */
export type StatusLine = {
  /** Draws the pieces that fit the width; put the most important ones first. */
  draw(pieces: readonly string[]): void
  clear(): void
  sink: Sink
}

export function createStatusLine(terminal: Sink): StatusLine {
  let shown = ''

  function drawText(text: string): void {
    const leftover = shown.length - text.length
    terminal.write(`\r${text}${leftover > 0 ? `${' '.repeat(leftover)}\r${text}` : ''}`)
    shown = text
  }
  function clear(): void {
    if (shown !== '') terminal.write(`\r${' '.repeat(shown.length)}\r`)
    shown = ''
  }
  return {
    draw: (pieces) => drawText(fit(pieces, (terminal.columns ?? 80) - 1)),
    clear,
    sink: {
      get isTTY() {
        return terminal.isTTY
      },
      get columns() {
        return terminal.columns
      },
      write(text) {
        const line = shown
        clear()
        terminal.write(text)
        if (text.endsWith('\n') && line !== '') drawText(line)
      },
    },
  }
}

function fit(pieces: readonly string[], width: number): string {
  let line = ''
  for (const piece of pieces) {
    const longer = line === '' ? piece : `${line} · ${piece}`
    if (longer.length > width) break
    line = longer
  }
  return line === '' ? (pieces[0] ?? '').slice(0, Math.max(0, width)) : line
}
