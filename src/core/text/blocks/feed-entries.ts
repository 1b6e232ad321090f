import { decodeHTML } from 'entities/decode'
import type { Block, Blocks } from '../../change/change.ts'
import { absolute, baseOf, type Feed, type FeedEntry } from '../../feed/feed.ts'
import { readHtmlBlocks } from './html-blocks.ts'
import { lineOf } from './seen-text.ts'

const maxEntryBlocks = 2000
const maxKeyCharacters = 1000

/**
 * An entry is identified by its id, else its link, else its title; several may share an id. One without a title is named by the beginning of its text, or by its
 * address.
 */
export function feedBlocks(feed: Feed, url: string | undefined): Blocks {
  const { title, site, entries, isCut } = feed
  const home = absolute(site.trim(), absolute(feed.base.trim(), url) || url)
  const blocks: Block[] = []
  for (const entry of entries) {
    const ownTitle = titleText(entry.title)
    const link = absolute(entry.link.trim(), baseOf(entry, feed, home, url)) || home
    const content = htmlText(entry.html)
    const shown = content.startsWith(ownTitle) ? content : [ownTitle, content].filter(Boolean).join(' — ')
    const text = [shown, ...filesOf(entry)].filter(Boolean).join(' — ')
    const name = (entry.id.trim() || entry.link.trim() || ownTitle || content).slice(0, maxKeyCharacters)
    if ((text || name) === '') continue
    blocks.push({
      kind: 'entry',
      text: text || link || name,
      trail: [],
      key: name,
      place: '',
      level: 0,
      title: ownTitle || beginningOf(content) || link || name,
      ...(link === '' ? {} : { link }),
      ...(entry.date === null ? {} : { at: entry.date }),
    })
  }
  return { kind: 'feed', title: titleText(title) || home, blocks, isCut }
}

const maxFiles = 10

/**
 * Names of the files attached to an entry, except pictures, which belong to its text. Not their addresses, which may have parameters that
 * change all the time.
 */
function filesOf({ enclosures }: FeedEntry): string[] {
  const files = enclosures.filter(({ type }) => !/^image\b/i.test(type)).slice(0, maxFiles)
  return files.map(({ url, type }) => {
    const name = lineOf(lastName(url))
    return name === '' || type === '' ? name || type : `${name} (${lineOf(type)})`
  })
}

function lastName(url: string): string {
  const name = /([^/?#]+)\/?(?:[?#].*)?$/s.exec(url)?.[1] ?? ''
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

const maxTitleCharacters = 100

/** Cuts between words. */
function beginningOf(text: string): string {
  if (text.length <= maxTitleCharacters) return text
  const start = text.slice(0, maxTitleCharacters)
  return `${start.slice(0, Math.max(start.lastIndexOf(' '), maxTitleCharacters / 2)).toWellFormed()}…`
}

const titleMarkup =
  /<\/?(?:a|abbr|b|big|br|center|cite|code|del|div|em|font|h[1-6]|i|img|ins|mark|p|q|s|small|span|strong|sub|sup|tt|u|wbr)(?:\s[^<>]*)?\/?>/i

/** Removes only unmistakable markup from a title: `The <blink> element` has none. */
function titleText(html: string): string {
  return titleMarkup.test(html) ? htmlText(html) : lineOf(decodeHTML(html))
}

export function htmlText(html: string): string {
  if (!/[<&]/.test(html)) return lineOf(html)
  const { blocks } = readHtmlBlocks(Buffer.from(html), maxEntryBlocks)
  return lineOf(blocks.map(({ text }) => text).join(' '))
}
