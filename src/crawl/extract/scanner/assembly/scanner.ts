/**
 * One pass over the bytes of an HTML page in any encoding that agrees with ASCII on bytes below 0x80 where markup is
 * concerned. The page is split into tags exactly as by the HTML standard's tokenizer with scripting off. There is no tree,
 * so what only tree construction would drop (a link inside `<select>`, a frame inside `<body>`) is found as well.
 *
 * Three things are remembered between tags: the current foreign content, whether a form is open (a nested form does not
 * exist), and the template depth (templates are inert: a base, title or meta there does not belong to the page; links are
 * still taken).
 *
 * The program copies a page to `pageAt`, calls `begin` once, and then calls `scan` and reads the findings until there are
 * none left. Time is linear in the length of the page. Memory is the page itself, and tables of fixed size.
 */
import {
  ACTION,
  CONTENT,
  classesOf,
  DATA,
  endOf,
  HREF,
  HTTP_EQUIV,
  METHOD,
  NAME,
  POSTER,
  REL,
  readAttributes,
  SRC,
  SRCSET,
  STYLE_ATTRIBUTE,
  selfClosing,
  skipTag,
  startOf,
  XLINK_HREF,
} from './attributes.ts'
import {
  classAt,
  fillClasses,
  findByte,
  findNameEnd,
  LETTER,
  matchesWord,
  SPACE,
  skipSpace,
  trimSpaceEnd,
} from './bytes.ts'
import * as findings from './findings.ts'
import * as foreign from './foreign-content.ts'
import * as memo from './memo.ts'
import { findRawTextEnd, findScriptEnd, skipBogusComment, skipCdata, skipComment } from './raw-text.ts'
import { mayLoad } from './styles.ts'
import {
  BASE,
  BREAKOUT_BOTH,
  fillTagNames,
  findBreakout,
  findTag,
  IMAGE,
  META,
  NOEMBED,
  NOFRAMES,
  PLAINTEXT,
  STYLE,
  SVG,
  TEMPLATE,
  TEXTAREA,
  TITLE,
  XMP,
} from './tag-names.ts'
import {
  A,
  AMPERSAND,
  AREA,
  AUDIO,
  EMBED,
  FORM,
  FOUND_ANCHOR,
  FOUND_ANCHOR_END,
  FOUND_BASE,
  FOUND_FORM,
  FOUND_LINK,
  FOUND_META,
  FOUND_REPEAT,
  FOUND_SRCSET,
  FOUND_STYLE,
  FOUND_STYLE_ATTRIBUTE,
  FOUND_TITLE,
  FRAME,
  IFRAME,
  IMG,
  LINK,
  NO_SLOT,
  NON_ASCII,
  NUL,
  OBJECT,
  REPEATED,
  SCRIPT,
  SOURCE,
  TRACK,
  VIDEO,
  WITH_TEXTS,
  XML,
} from './wire.ts'

/** Readable bytes after the end of the page, since blocks are read past it. */
const MARGIN: usize = 64
const MEMORY_PAGE: usize = 65536

const page: usize = (__heap_base + 63) & ~63
let end: usize = 0
let cursor: usize = 0
let isXml = false
let withTexts = false
let isFormOpen = false
let templateDepth = 0

fillClasses()
fillTagNames()

/** The address to copy a page of this length to; 0 if there is no memory for it. */
export function pageAt(length: usize): usize {
  const missing = <isize>(page + length + MARGIN) - <isize>(<usize>memory.size() * MEMORY_PAGE)
  if (missing <= 0) return page
  return memory.grow(<i32>((<usize>missing + MEMORY_PAGE - 1) / MEMORY_PAGE)) < 0 ? 0 : page
}

/** The address to copy the folder of the page to, for the memo. */
export function baseAt(): usize {
  return memo.basePlace()
}

/** Starts a new page. Without a folder, its links are not looked up in the memo. */
export function begin(length: usize, options: i32, originLength: usize, folderLength: usize): void {
  cursor = page
  end = page + length
  // Sentinel: unclosed names and values end here, so their loops need not check for the end.
  store<u8>(end, 0x3e)
  isXml = (options & XML) !== 0
  withTexts = (options & WITH_TEXTS) !== 0
  isFormOpen = false
  templateDepth = 0
  foreign.leaveAll()
  memo.setBase(originLength, folderLength)
}

/** Continues until the page ends, or the findings are full. Returns the count of numbers in the findings; 0 at the end. */
export function scan(): usize {
  findings.clear()
  let at = cursor
  while (at < end && !findings.isFull()) {
    at = findByte(at, end, 0x3c) + 1
    if (at >= end) break
    const next = load<u8>(at)
    if (classAt(at) & LETTER) at = startTag(at)
    else if (next === 0x2f) at = endTag(at + 1)
    else if (next === 0x21) at = markupDeclaration(at + 1)
    else if (next === 0x3f) at = skipBogusComment(at, end)
  }
  cursor = at
  return findings.size()
}

export function findingsAt(): usize {
  return findings.place()
}

export function isMemoFull(): bool {
  return memo.isFull
}

export function forgetLinks(): void {
  memo.forgetAll()
}

/** `from` is the first letter of the name. Like the functions below, returns where the scan continues; a cut-off tag isn't a tag. */
function startTag(from: usize): usize {
  const at = findNameEnd(from)
  if (foreign.inside !== 0 && findBreakout(from, at - from) !== 0) foreign.breakOut()
  const tag = findTag(from, at - from)
  if (tag === 0 && load<u8>(at) === 0x3e) return min(at + 1, end)
  const after = tag === 0 ? skipTag(at, end) : readAttributes(at, end)
  if (after === 0 || after > end) return end
  noteStyle()
  return tag === 0 ? after : enterTag(tag, after)
}

function enterTag(tag: i32, after: usize): usize {
  if (foreign.inside !== 0) {
    // SVG links count; nothing else in foreign content does.
    if (tag === A && foreign.inside === SVG) note(tag, after)
    else if (!selfClosing) foreign.open(tag)
    return after
  }
  note(tag, after)
  if (foreign.isForeignRoot(tag)) {
    if (!selfClosing) foreign.open(tag)
    return after
  }
  return isXml && selfClosing ? after : afterContent(tag, after)
}

/** Skips the content of text-only elements, up to their end tag. */
function afterContent(tag: i32, from: usize): usize {
  switch (tag) {
    case SCRIPT:
      return findScriptEnd(from, end)
    case TITLE: {
      const close = findRawTextEnd(from, end, 'title')
      if (templateDepth > 0) return close
      findings.put(FOUND_TITLE)
      findings.put(<i32>(from - page))
      findings.put(<i32>(close - page))
      return close
    }
    case STYLE: {
      const close = findRawTextEnd(from, end, 'style')
      if (!mayLoad(from, close)) return close
      findings.put(FOUND_STYLE)
      findings.put(<i32>(from - page))
      findings.put(<i32>(close - page))
      return close
    }
    case TEXTAREA:
      return findRawTextEnd(from, end, 'textarea')
    case XMP:
      return findRawTextEnd(from, end, 'xmp')
    case IFRAME:
      return findRawTextEnd(from, end, 'iframe')
    case NOEMBED:
      return findRawTextEnd(from, end, 'noembed')
    case NOFRAMES:
      return findRawTextEnd(from, end, 'noframes')
    case PLAINTEXT:
      return end
    default:
      return from
  }
}

/** `from` is after `</`. */
function endTag(from: usize): usize {
  if (from >= end) return end
  if (!(classAt(from) & LETTER)) return skipBogusComment(from, end)
  const at = findNameEnd(from)
  const after = load<u8>(at) === 0x3e ? at + 1 : skipTag(at, end)
  if (after === 0 || after > end) return end
  // Most end tags are irrelevant here.
  if (!withTexts && !isFormOpen && templateDepth === 0 && foreign.depth === 0) return after
  const tag = findTag(from, at - from)
  if (tag !== 0) {
    foreign.close(tag)
    if (tag === A && withTexts) putPlace(FOUND_ANCHOR_END, from - 2)
    if (tag === TEMPLATE && templateDepth > 0) templateDepth--
    else if (tag === FORM && templateDepth === 0) isFormOpen = false
  } else if (foreign.inside !== 0 && findBreakout(from, at - from) === BREAKOUT_BOTH) foreign.breakOut()
  return after
}

/** `from` is after `<!`. */
function markupDeclaration(from: usize): usize {
  if (from + 2 <= end && load<u16>(from) === 0x2d2d) return skipComment(from + 2, end)
  const hasCdata = isXml || foreign.inside !== 0
  // Compared exactly: `[CDATA[` is case-sensitive.
  if (hasCdata && from + 7 <= end && load<u32>(from) === 0x4144435b && load<u32>(from, 3) >> 8 === 0x5b4154)
    return skipCdata(from + 7, end)
  return skipBogusComment(from, end)
}

function putPlace(kind: i32, at: usize): void {
  findings.put(kind)
  findings.put(<i32>(at - page))
}

/** Records what the attributes of a start tag contain. `after`: where the tag ends. */
function note(tag: i32, after: usize): void {
  switch (tag) {
    case A:
      if (withTexts) putPlace(FOUND_ANCHOR, after)
      // Links of SVG had a namespace of their own, which still counts where the plain attribute is missing.
      noteLink(foreign.inside === SVG && startOf(HREF) === 0 ? XLINK_HREF : HREF, tag)
      break
    case AREA:
    case LINK:
      noteLink(HREF, tag)
      break
    case IFRAME:
    case FRAME:
    case SCRIPT:
    case AUDIO:
    case TRACK:
    case EMBED:
      noteLink(SRC, tag)
      break
    case VIDEO:
      noteLink(POSTER, tag)
      noteLink(SRC, tag)
      break
    case OBJECT:
      noteLink(DATA, tag)
      break
    case IMG:
    case IMAGE:
      noteLink(SRC, IMG)
      noteSrcset(IMG)
      break
    case SOURCE:
      noteLink(SRC, SOURCE)
      noteSrcset(SOURCE)
      break
    case FORM:
      noteForm()
      break
    case META:
      noteMeta()
      break
    case BASE:
      if (templateDepth > 0 || startOf(HREF) === 0) break
      findings.put(FOUND_BASE)
      findings.putRange(HREF, page)
      break
    case TEMPLATE:
      templateDepth++
      break
    default:
  }
}

function noteStyle(): void {
  const start = startOf(STYLE_ATTRIBUTE)
  if (start === 0) return
  const close = endOf(STYLE_ATTRIBUTE)
  if (!(classesOf(STYLE_ATTRIBUTE) & AMPERSAND) && !mayLoad(start, close)) return
  findings.put(FOUND_STYLE_ATTRIBUTE)
  findings.putRange(STYLE_ATTRIBUTE, page)
}

function noteLink(range: usize, tag: i32): void {
  if (startOf(range) === 0) return
  const start = skipSpace(startOf(range), endOf(range))
  const close = trimSpaceEnd(start, endOf(range))
  if (start === close || leadsToNoPage(start)) return
  const classes = classesOf(range)
  // Whether a form counts depends on its method, and a repeated link may have another text.
  const slot = classes & (NON_ASCII | NUL) ? NO_SLOT : memo.slotOf(start, close, tag !== FORM && !withTexts)
  if (slot === REPEATED) {
    findings.put(FOUND_REPEAT)
    return
  }
  findings.put(FOUND_LINK)
  findings.put(tag)
  findings.put((tag === A || tag === AREA) && startOf(REL) !== 0 && hasNofollow(startOf(REL), endOf(REL)) ? 1 : 0)
  findings.put(<i32>(start - page))
  findings.put(<i32>(close - page))
  findings.put(classes)
  findings.put(slot)
}

/** Whether a link leads to no other page: a fragment of this one, or a scheme that is never fetched. */
function leadsToNoPage(at: usize): bool {
  const first = load<u8>(at)
  if (first === 0x23) return true
  switch (first | 0x20) {
    case 0x6d:
      return matchesWord(at, end, 'mailto:')
    case 0x6a:
      return matchesWord(at, end, 'javascript:')
    case 0x74:
      return matchesWord(at, end, 'tel:')
    case 0x64:
      return matchesWord(at, end, 'data:')
    default:
      return false
  }
}

/** Whether one of the words of `rel` is `nofollow`. */
function hasNofollow(start: usize, close: usize): bool {
  for (let at = start; at < close; ) {
    at = skipSpace(at, close)
    const word = at
    while (at < close && !(classAt(at) & SPACE)) at++
    if (at - word === 8 && matchesWord(word, close, 'nofollow')) return true
  }
  return false
}

function noteSrcset(tag: i32): void {
  if (startOf(SRCSET) === 0) return
  findings.put(FOUND_SRCSET)
  findings.put(tag)
  findings.putRange(SRCSET, page)
}

function noteForm(): void {
  if (isFormOpen && templateDepth === 0) return
  if (templateDepth === 0) isFormOpen = true
  if (startOf(ACTION) === 0) return
  findings.put(FOUND_FORM)
  findings.putRange(METHOD, page)
  noteLink(ACTION, FORM)
}

function noteMeta(): void {
  if (startOf(CONTENT) === 0 || templateDepth > 0) return
  findings.put(FOUND_META)
  findings.putRange(CONTENT, page)
  findings.putRange(NAME, page)
  findings.putRange(HTTP_EQUIV, page)
}
