import { codeSpan, escapeMarkdown, linkTarget } from './markdown-text.ts'

/** Markup around a piece of text within its block. */
export type Enclosing =
  | { kind: 'mark'; mark: '**' | '*' | '~~' }
  | { kind: 'code' }
  /** `name`: its label if it contains no text. */
  | { kind: 'link'; target: string; name: string }

/** A `!` at the end is kept apart: before a link it needs an escape, and cutting it off again would copy the whole text. */
type Frame = { enclosing: Enclosing | null; text: string; hasMark: boolean }

/** Text of a block ('' for none), and how many of its characters are targets of links. */
export type TakenText = { text: string; targetChars: number }

/**
 * The text of one block as it is read. Open markup is closed at the end of the block and reopened in the next one, as browsers do.
 * White space is collapsed; a line feed is a line break.
 */
export type InlineText = {
  text(content: string): void
  breakLine(): void
  /** A link to a picture; only its name within another link. */
  picture(name: string, src: string, base: string): void
  open(enclosing: Enclosing): void
  close(): void
  /** Returns the text so far and clears it. */
  take(): TakenText
}

export function createInlineText(): InlineText {
  let frames: Frame[] = [frameOf(null)]
  let targetChars = 0

  const isWithin = (kind: Enclosing['kind']): boolean => frames.some(({ enclosing }) => enclosing?.kind === kind)

  function add(text: string): void {
    if (text === '') return
    const frame = frames.at(-1)!
    // It would turn the link into a picture.
    if (frame.hasMark) frame.text += text.startsWith('[') ? '\\!' : '!'
    frame.hasMark = text.endsWith('!')
    frame.text += frame.hasMark ? text.slice(0, -1) : text
  }

  function addTarget(target: string): string {
    targetChars += target.length + 3
    return `](${target})`
  }

  /** Nested markup of the same kind adds nothing, and would be parsed differently. */
  function isIdle(enclosing: Enclosing): boolean {
    if (isWithin('code')) return true
    if (enclosing.kind !== 'mark') return isWithin(enclosing.kind)
    return frames.some((frame) => frame.enclosing?.kind === 'mark' && frame.enclosing.mark === enclosing.mark)
  }

  function closeFrame(): Enclosing | null {
    const frame = frames.pop()!
    const { enclosing } = frame
    add(enclosing === null ? textOf(frame) : enclosed(enclosing, textOf(frame), addTarget))
    return enclosing
  }

  return {
    text(content) {
      const shown = content.replace(/[\s\u00a0]+/g, ' ')
      add(isWithin('code') ? shown : escapeMarkdown(shown))
    },
    breakLine: () => add('\n'),
    picture(name, src, base) {
      const label = escapeMarkdown(name.replace(/\s+/g, ' ').trim())
      const shown = label === '' ? 'Image' : `Image: ${label}`
      const target = isWithin('link') || isWithin('code') ? null : linkTarget(src, base)
      if (target !== null) add(`[${shown}${addTarget(target)}`)
      else if (label !== '') add(shown)
    },
    open(enclosing) {
      frames.push(frameOf(isIdle(enclosing) ? null : enclosing))
    },
    close() {
      if (frames.length > 1) closeFrame()
    },
    take() {
      const open: (Enclosing | null)[] = []
      while (frames.length > 1) open.unshift(closeFrame())
      const text = textOf(frames[0]!)
        .replace(/ {2,}/g, ' ')
        .replace(/ ?\n[ \n]*/g, '\n')
        .trim()
      const taken = { text, targetChars }
      frames = [null, ...open].map(frameOf)
      targetChars = 0
      return taken
    },
  }
}

function frameOf(enclosing: Enclosing | null): Frame {
  return { enclosing, text: '', hasMark: false }
}

const textOf = ({ text, hasMark }: Frame): string => (hasMark ? `${text}!` : text)

/** White space at the ends is moved outside, as marks only work next to the text. */
function enclosed(enclosing: Enclosing, text: string, addTarget: (target: string) => string): string {
  const inner = text.trim()
  if (inner === '' && (enclosing.kind !== 'link' || enclosing.name === '')) return text
  const before = text.slice(0, text.length - text.trimStart().length)
  const after = inner === '' ? '' : text.slice(text.trimEnd().length)
  return before + core(enclosing, inner, addTarget) + after
}

function core(enclosing: Enclosing, inner: string, addTarget: (target: string) => string): string {
  switch (enclosing.kind) {
    case 'mark':
      return enclosing.mark + inner + enclosing.mark
    case 'code':
      return codeSpan(inner)
    case 'link': {
      const shown = inner === '' ? escapeMarkdown(enclosing.name.replace(/\s+/g, ' ').trim()) : inner
      return `[${shown.replace(/\s+/g, ' ')}${addTarget(enclosing.target)}`
    }
  }
}
