import { posix } from 'node:path'
import { type Converter, Unreadable } from './converter.ts'
import { harmlessMarkup } from './harmless-markup.ts'
import { createPageWriter } from './page-writer.ts'
import { documentTitle, walkXml } from './xml-walk.ts'
import { openZip } from './zip-files.ts'

const container = 'META-INF/container.xml'
const encryption = 'META-INF/encryption.xml'
/** Chapters read together. Each batch takes a pass over the archive. */
const chaptersAtOnce = 50

export const epubToHtml: Converter = async (body, { maxBytes }) => {
  const zip = openZip(body)
  const first = zip.take([container, encryption])
  const packageName = packageOf(first.get(container))
  const description = zip.take([packageName]).get(packageName)
  if (description === undefined) throw new Unreadable('damaged', 'no package document')
  const chapters = spineOf(description.toString('utf8'), posix.dirname(packageName))
  const locked = encryptedFiles(first.get(encryption))
  // Books that aren't encrypted often have encrypted fonts.
  if (chapters.some((name) => locked.has(name))) throw new Unreadable('encrypted')
  const writer = createPageWriter(maxBytes)
  for (let at = 0; at < chapters.length && !writer.isFull(); at += chaptersAtOnce) {
    const names = chapters.slice(at, at + chaptersAtOnce)
    const files = zip.take(names)
    for (const name of names) writer.html(harmlessMarkup(files.get(name)?.toString('utf8') ?? '').html)
  }
  return { html: writer.page(documentTitle(description)) }
}

function packageOf(xml: Buffer | undefined): string {
  let name = ''
  walkXml(xml?.toString('utf8') ?? '', {
    open(tag, attributes) {
      if (bare(tag) === 'rootfile' && name === '') name = attributes['full-path'] ?? ''
    },
  })
  if (name === '') throw new Unreadable('damaged', 'no container')
  return name
}

/** The names of the chapters in reading order, without duplicates. */
function spineOf(xml: string, folder: string): string[] {
  const items = new Map<string, string>()
  const order = new Set<string>()
  walkXml(xml, {
    open(tag, { id, href, idref, 'media-type': type }) {
      if (bare(tag) === 'item' && id !== undefined && href !== undefined && /html|dtbook/.test(type ?? ''))
        items.set(id, href)
      if (bare(tag) === 'itemref' && idref !== undefined) order.add(idref)
    },
  })
  const names = [...order].flatMap((id) => items.get(id) ?? [])
  return [...new Set(names.map((href) => posix.join(folder, decoded(href.replace(/#.*$/, '')))))]
}

function encryptedFiles(xml: Buffer | undefined): Set<string> {
  const names = new Set<string>()
  walkXml(xml?.toString('utf8') ?? '', {
    open(tag, attributes) {
      if (bare(tag) === 'CipherReference') names.add(decoded(attributes.URI ?? ''))
    },
  })
  return names
}

const bare = (tag: string): string => tag.slice(tag.indexOf(':') + 1)

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
