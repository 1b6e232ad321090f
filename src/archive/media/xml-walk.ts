import { Parser } from 'htmlparser2'
import { Unreadable } from './converter.ts'

const maxDepth = 500

export type XmlHandler = {
  open?(name: string, attributes: Record<string, string>): void
  text?(text: string): void
  close?(name: string): void
}

/** Walks through a document. Throws `Unreadable` with `too-deep`. */
export function walkXml(xml: string, { open, text, close }: XmlHandler): void {
  let depth = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > maxDepth) throw new Unreadable('too-deep')
        open?.(name, attributes)
      },
      ontext: (piece) => text?.(piece),
      onclosetag(name) {
        depth--
        close?.(name)
      },
    },
    { xmlMode: true },
  )
  parser.end(xml)
}

/** The title in the metadata of a document; '' if there is none. */
export function documentTitle(metadata: Buffer | undefined): string {
  let isTitle = false
  let title = ''
  walkXml(metadata?.toString('utf8') ?? '', {
    open(name) {
      isTitle = name === 'dc:title' && title === ''
    },
    text(piece) {
      if (isTitle) title += piece
    },
    close() {
      isTitle = false
    },
  })
  return title.trim()
}
