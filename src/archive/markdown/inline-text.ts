import { codeSpan, escapeMarkdown, linkTarget } from './markdown-text.ts'

/** What encloses a piece of text within its block. */
export type Enclosing =
  | { kind: 'mark'; mark: '**' | '*' | '~~' }
  | { kind: 'code' }
  /** `name`: what it is called where it holds no text. */
  | { kind: 'link'; target: string; name: string }

type Frame = { enclosing: Enclosing | null; text: string }

/**
 * The text of one block as it is read: what is open around it is closed when the block ends, and opened again in the next one, as
 * browsers do. White space is collapsed; a line feed is a line break.
 */
export type InlineText = {
  text(content: string): void
  breakLine(): void
  /** A link to a picture, or its name alone within another link. */
  picture(name: string, src: string, base: string): void
  open(enclosing: Enclosing): void
  close(): void
  /** The text so far; '' for none. Then it is empty. */
  take(): string
}

export function createInlineText(): InlineText {
  let frames: Frame[] = [{ enclosing: null, text: '' }]

  const isWithin = (kind: Enclosing['kind']): boolean => frames.some(({ enclosing }) => enclosing?.kind === kind)

  function add(text: string): void {
    const frame = frames.at(-1)!
    // It would make a picture of the link.
    if (text.startsWith('[') && frame.text.endsWith('!')) frame.text = `${frame.text.slice(0, -1)}\\!`
    frame.text += text
  }

  /** One within another of the same kind says nothing more, and would be read otherwise. */
  function isIdle(enclosing: Enclosing): boolean {
    if (isWithin('code')) return true
    if (enclosing.kind !== 'mark') return isWithin(enclosing.kind)
    return frames.some((frame) => frame.enclosing?.kind === 'mark' && frame.enclosing.mark === enclosing.mark)
  }

  function closeFrame(): Enclosing | null {
    const { enclosing, text } = frames.pop()!
    add(enclosing === null ? text : enclosed(enclosing, text))
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
      if (target !== null) add(`[${shown}](${target})`)
      else if (label !== '') add(shown)
    },
    open(enclosing) {
      frames.push({ enclosing: isIdle(enclosing) ? null : enclosing, text: '' })
    },
    close() {
      if (frames.length > 1) closeFrame()
    },
    take() {
      const open: (Enclosing | null)[] = []
      while (frames.length > 1) open.unshift(closeFrame())
      const { text } = frames[0]!
      frames = [null, ...open].map((enclosing) => ({ enclosing, text: '' }))
      return text
        .replace(/ {2,}/g, ' ')
        .replace(/ ?\n[ \n]*/g, '\n')
        .trim()
    },
  }
}

/** The space at its ends is outside: marks take effect only where they touch the text. */
function enclosed(enclosing: Enclosing, text: string): string {
  const inner = text.trim()
  if (inner === '' && (enclosing.kind !== 'link' || enclosing.name === '')) return text
  const before = /^\s*/.exec(text)![0]
  const after = inner === '' ? '' : /\s*$/.exec(text)![0]
  return before + core(enclosing, inner) + after
}

function core(enclosing: Enclosing, inner: string): string {
  switch (enclosing.kind) {
    case 'mark':
      return enclosing.mark + inner + enclosing.mark
    case 'code':
      return codeSpan(inner)
    case 'link': {
      const shown = inner === '' ? escapeMarkdown(enclosing.name.replace(/\s+/g, ' ').trim()) : inner
      return `[${shown.replace(/\s+/g, ' ')}](${enclosing.target})`
    }
  }
}
