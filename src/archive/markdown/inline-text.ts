import { codeSpan, escapeMarkdown, linkTarget } from './markdown-text.ts'

/** Markup around a piece of text within its block. */
export type Enclosing =
  | { kind: 'mark'; mark: '**' | '*' | '~~' }
  | { kind: 'code' }
  /** `name`: its label if it contains no text. */
  | { kind: 'link'; target: string; name: string }

type Frame = { enclosing: Enclosing | null; text: string }

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
  /** Returns the text so far ('' for none) and clears it. */
  take(): string
}

export function createInlineText(): InlineText {
  let frames: Frame[] = [{ enclosing: null, text: '' }]

  const isWithin = (kind: Enclosing['kind']): boolean => frames.some(({ enclosing }) => enclosing?.kind === kind)

  function add(text: string): void {
    const frame = frames.at(-1)!
    // It would turn the link into a picture.
    if (text.startsWith('[') && frame.text.endsWith('!')) frame.text = `${frame.text.slice(0, -1)}\\!`
    frame.text += text
  }

  /** Nested markup of the same kind adds nothing, and would be parsed differently. */
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

/** White space at the ends is moved outside, as marks only work next to the text. */
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
