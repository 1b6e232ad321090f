import { hash } from 'node:crypto'
import { readXmlReference } from './character-reference.ts'
import { scanHtml, type TextTargets } from './html-text.ts'
import { cutMatches } from './omit-matches.ts'
import type { OmitRules } from './omit-rules.ts'
import { rawMeanings, type SinkOptions, TextSink } from './text-sink.ts'
import { asBuffer, readSource, roomBytes, roomFor } from './text-source.ts'
import type { TextKind } from './text-type.ts'
import { scanXml } from './xml-text.ts'

export type TextSource = {
  contentType: string | undefined
  /** Regions to leave out; see `createOmitRules`. */
  omit?: OmitRules | null | undefined
  /** One line per block; otherwise every run of white space becomes one space. */
  lines?: boolean | undefined
}

const fingerprintBytes = 16

/**
 * The visible text of a document, its title first; null if its media type has none. White space of all kinds is collapsed. See `scanHtml`
 * for what is visible.
 */
export function documentText(body: Uint8Array, source: TextSource): string | null {
  const text = textBytes(body, source)
  return text === null ? null : asBuffer(text).toString('utf8')
}

/** As `documentText`, in UTF-8. The bytes are valid until the next call of a function in this file. */
export function textBytes(body: Uint8Array, source: TextSource): Uint8Array | null {
  const read = readSource(body, source.contentType)
  if (read === null) return null
  const { kind } = read
  const { omit } = source
  let { page } = read
  if (omit?.elements && kind !== 'plain') page = omit.elements.cut(page, kind)
  // Expressions are matched against lines, so that `.*` doesn't cross the end of a block.
  const patterns = omit?.patterns ?? []
  const text = scan(page, kind, source.lines === true || patterns.length > 0)
  if (patterns.length === 0) return text
  const rest = Buffer.from(cutMatches(text, patterns))
  return collapse(rest, roomFor(rest.length), source.lines === true)
}

/** A 16-byte fingerprint of the text that ignores differences in white space; null if the type has no text. */
export function textFingerprint(body: Uint8Array, source: TextSource): Buffer | null {
  const text = textBytes(body, source.lines === true ? { ...source, lines: false } : source)
  return text === null ? null : hash('sha256', text, 'buffer').subarray(0, fingerprintBytes)
}

function scan(page: Buffer, kind: TextKind, lines: boolean): Uint8Array {
  const out = roomFor(page.length)
  if (kind === 'plain') return collapse(page, out, lines)
  const targets = createTargets(page, out, { lines, readReference: kind === 'xml' ? readXmlReference : undefined })
  const text = { bytes: page, text: page.toString('latin1') }
  if (kind === 'html') scanHtml(text, targets)
  else scanXml(text, targets, { isXhtml: kind === 'xhtml' })
  return targets.joined()
}

function collapse(text: Buffer, out: Buffer, lines: boolean): Uint8Array {
  const sink = new TextSink(text, out, { lines })
  sink.keepsLines = true
  sink.append(0, text.length, rawMeanings)
  return out.subarray(0, sink.length)
}

type Targets = TextTargets & { joined(): Uint8Array }

/** Puts the title before the text. It usually comes first anyway; a title further down is buffered and moved to the front. */
function createTargets(page: Buffer, out: Buffer, options: SinkOptions): Targets {
  const body = new TextSink(page, out, options)
  let aside: Buffer | null = null
  let title: TextSink | null = null
  return {
    body,
    title() {
      if (body.length === 0) return body
      aside = Buffer.allocUnsafeSlow(roomBytes(page.length))
      title = new TextSink(page, aside, options)
      return title
    },
    joined() {
      if (aside === null || title === null || title.length === 0) return out.subarray(0, body.length)
      const shift = title.length + 1
      out.copyWithin(shift, 0, body.length)
      out.set(aside.subarray(0, title.length))
      out[title.length] = options.lines ? 0x0a : 0x20
      return out.subarray(0, shift + body.length)
    },
  }
}
