import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type DefaultTreeAdapterMap, html, parse } from 'parse5'
import { cssAddresses } from '../../core/css/css-addresses.ts'
import { fastfind } from './fastfind.ts'
import { isNoPageLink, trimHtmlWhitespace } from './link-text.ts'
import { parseMetaRefresh, parseSrcset } from './url-attributes.ts'

/**
 * The full parser is the reference. What only tree construction does is excluded from the comparison:
 * - it drops tags inside `<select>` and `<frameset>`, and frames outside a frameset: such pages are not generated;
 * - it moves and clones links (foster parenting, adoption): its links are put back in source order, each place once;
 * - SVG and MathML that are badly nested: only well-nested ones are generated;
 * - it drops a form within a form, a second body and rows without a table, with their styles: such pages are not compared.
 */
type Element = DefaultTreeAdapterMap['element']
type Placed = { at: number; link: string }

const slots: Record<string, string[]> = {
  a: ['href'],
  area: ['href'],
  link: ['href'],
  iframe: ['src'],
  frame: ['src'],
  img: ['src'],
  source: ['src'],
  script: ['src'],
  form: ['action'],
  video: ['poster', 'src'],
  audio: ['src'],
  track: ['src'],
  embed: ['src'],
  object: ['data'],
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((candidate) => candidate.name === name && !candidate.namespace)?.value
}

/** In SVG, `xlink:href` counts where there is no `href`. */
function linkAttribute(element: Element, name: string): string {
  const prefixed = element.attrs.find(({ prefix, name: local }) => prefix === 'xlink' && local === name)?.value
  return attribute(element, name) ?? prefixed ?? ''
}

function elementsOf(page: string): { element: Element; isInert: boolean }[] {
  const found: { element: Element; isInert: boolean }[] = []
  const walk = (node: DefaultTreeAdapterMap['parentNode'], isInert: boolean): void => {
    for (const child of node.childNodes) {
      if (!('tagName' in child)) continue
      found.push({ element: child, isInert })
      walk(child, isInert)
      if ('content' in child) walk(child.content, true)
    }
  }
  walk(parse(page, { scriptingEnabled: false, sourceCodeLocationInfo: true }), false)
  return found
}

/** What its style attribute loads; after that, what the sheet in a style element loads. */
function styleLinks(element: Element): string[] {
  const isSheet = element.tagName === 'style' && element.namespaceURI === html.NS.HTML
  const sheet = isSheet ? element.childNodes.map((child) => ('value' in child ? child.value : '')).join('') : ''
  return [...cssAddresses(attribute(element, 'style') ?? '', 'attribute'), ...cssAddresses(sheet)]
    .map(trimHtmlWhitespace)
    .filter((href) => href !== '' && !isNoPageLink(href))
    .map((href) => `link ${href}`)
}

function linksOf(element: Element): string[] {
  if (element.namespaceURI !== html.NS.HTML && (element.tagName !== 'a' || element.namespaceURI !== html.NS.SVG))
    return []
  const values = (slots[element.tagName] ?? []).map((name) => linkAttribute(element, name))
  if (element.tagName === 'form' && /^(?:post|dialog)$/i.test(attribute(element, 'method') ?? '')) return []
  if (element.tagName === 'img' || element.tagName === 'source')
    values.push(...parseSrcset(attribute(element, 'srcset') ?? ''))
  const rel = element.tagName.startsWith('a') ? (attribute(element, 'rel') ?? '') : ''
  const mark = rel
    .toLowerCase()
    .split(/[\t\n\f\r ]+/)
    .includes('nofollow')
    ? '!'
    : ''
  return values
    .map(trimHtmlWhitespace)
    .filter((href) => href !== '' && !isNoPageLink(href))
    .map((href) => `${mark}${element.tagName} ${href}`)
}

function reference(page: string): { links: string[]; base: string | undefined } {
  const placed: Placed[] = []
  const seen = new Set<number>()
  let base: string | undefined
  let refreshAt = Number.POSITIVE_INFINITY
  let refresh: string | undefined
  for (const { element, isInert } of elementsOf(page)) {
    const at = element.sourceCodeLocation?.startOffset
    if (at === undefined || seen.has(at)) continue
    seen.add(at)
    for (const link of [...styleLinks(element), ...linksOf(element)]) placed.push({ at, link })
    if (isInert || element.namespaceURI !== html.NS.HTML) continue
    if (element.tagName === 'base') base ??= attribute(element, 'href')
    if (element.tagName !== 'meta' || attribute(element, 'http-equiv')?.toLowerCase() !== 'refresh') continue
    const parsed = parseMetaRefresh(attribute(element, 'content') ?? '')
    if (parsed === undefined || at > refreshAt) continue
    refreshAt = at
    refresh = parsed.url
  }
  if (refresh !== undefined && !isNoPageLink(refresh))
    placed.push({ at: refreshAt, link: `meta ${trimHtmlWhitespace(refresh)}` })
  placed.sort((one, other) => one.at - other.at)
  return {
    links: placed.map(({ link }) => newlines(link)),
    base: base === undefined ? undefined : newlines(trimHtmlWhitespace(base)),
  }
}

/** The parser turns CR LF into LF; the link finder leaves that to URL parsing, which drops both. */
function newlines(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

function ours(page: string): { links: string[]; base: string | undefined } {
  const found = fastfind(Buffer.from(page))
  const links = found.links.map(({ href, tag, nofollow }) => newlines(`${nofollow ? '!' : ''}${tag} ${href}`))
  return { links, base: found.base === undefined ? undefined : newlines(found.base) }
}

const trickyPages = [
  '<a href=1>x</a><A HREF="2">y</A><a hReF=\'3\'>z',
  '<a href=a href=b><a href><a href=""><a href = c ><a\nhref\n=\n"d"><a/href=e/><a href="f"class=x>',
  '<a title=">" href=1><a title=\'"\' href=2><a title=a"b href=3><a title==" href=4>',
  '<a a"b=c href=1><a =href=2 href=3><a / / href=4 / ><a href=5/6/>',
  '<a "href=1" href=2><a \'=" href=3><a x="1"y="2"href="4">',
  '<a href="&amp;x&lt=1&copy=2&notit;&not;&#x41;&#65&#0;&#128;"><a href=?a&amp=b&b=c>',
  '<!--><a href=1>--><!---><a href=2>--><!----><a href=3><!-- --!><a href=4><!-- -- > <a href=5> --><a href=6>',
  '<!-- a -- b --- --> <a href=1><!--a--><a href=2><!--><!--<a href=3>--><a href=4>',
  '<!x <a href=1>><a href=2><?y <a href=3>><a href=4></ z <a href=5>><a href=6></><a href=7>',
  '<!DOCTYPE html PUBLIC "x>y" ><a href=1>',
  '<![CDATA[ <a href=1> ]]><a href=2>',
  '<script>"<a href=1>"</script><a href=2><script><!-- <script> </script> <a href=3> --> </script><a href=4>',
  '<script><!-- </script><a href=1><script><!--> <script></script><a href=2>',
  '<script><!-- <script> --> </script><a href=1><script><!-- <script x </script> </script y><a href=2>',
  '<script><!--<script></scriptx></script></script><a href=1><script><!---></script><a href=2>',
  '<script><!-<script></script><a href=1>',
  '<SCRIPT SRC=a></sCrIpT ><a href=1></script>',
  '<style><a href=1></styl></style/><a href=2><style></ style></style foo=">"><a href=3>',
  '<title><a href=1></title ><a href=2><textarea><a href=3></textarea><a href=4><xmp><a href=5></xmp>',
  '<iframe src=1><a href=2></iframe><noembed><a href=3></noembed><noframes><a href=4></noframes><a href=5>',
  '<noscript><a href=1><img src=2></noscript><a href=3>',
  '<a href=1><plaintext><a href=2></plaintext><a href=3>',
  '<a href=1><a href="2',
  '<a href=1><a href=2',
  '<a href=1><!-- <a href=2>',
  '<a href=1><script><a href=2>',
  '< a href=1><a<b href=2><a1 href=3><ab href=4><a\0 href=5><a href=6>',
  '<a href="a\0b"><a hr\0ef=1><img src="\0">',
  '<a href="  x  "><a href="\n\tx y\r\n"><a href="\u00a0x">',
  '<a href="/ä?ö=ü#ß"><a href="日本"><a href=é&eacute;>',
  '<a href="#x"><a href="mailto:a"><a href="JavaScript:b"><a href="tel:1"><a href="data:,"><a href="&#35;x"><a href=" #">',
  '<a href="&#106;avascript:x"><a href="mailto"><a href="data"><a href="telephone:1">',
  '<area href=1><link href=2 rel=stylesheet><img src=3><img srcset="4 1x, 5 2x,6"><picture><source srcset="7,8 9w"></picture>',
  '<video src=1 poster=2 controls><source src=3 type=video/mp4><track src=4></video><audio src=5><source SRC="6"></audio>',
  '<embed src=1 data=2><object data=3 src=4><param name=a value=5></object><svg><embed src=6></svg><p poster=7 data=8>',
  '<svg><video src=1></video><object data=2></object></svg><video poster src="#x"><source srcset="3" src=4>',
  '<image src=1><form action=2><form action=3></form><form action=4 method=POST></form><form action=5 method=get>',
  '<form action=1 method=dialog></form><form action=2 method=bogus></form><form method=get></form>',
  '<a rel=nofollow href=1><a rel="x NoFollow y" href=2><a rel=nofollowx href=3><area rel="nofollow" href=4><link rel=nofollow href=5>',
  '<base href=a><base href=b><a href=1>',
  '<base target=x><base href=" b ">',
  '<meta http-equiv=refresh content="1;url=x"><meta http-equiv=refresh content="2;url=y">',
  '<meta http-equiv=refresh content="bad"><meta HTTP-EQUIV=Refresh content="0, URL=\'y\' z">',
  '<meta http-equiv=refresh content="5"><meta http-equiv=refresh content="2;url=y">',
  '<template><a href=1><base href=x><meta http-equiv=refresh content="0;url=y"></template><base href=z><a href=2>',
  '<table><tr><a href=1><td><a href=2></table><a href=3>',
  '<a href=1><div></a><p><a href=2><b><i></a><u></b><a href=3>',
  '<svg><a href=1><title><a href=2></a></title><style><a href=3></style><script><a href=4></script></svg><a href=5>',
  '<svg><script href=1 /><a href=2></a><title/><a href=3></a><style/></svg><a href=4>',
  '<svg><![CDATA[<a href=1>]]><a href=2></a></svg><![CDATA[<a href=3>]]>',
  '<svg><![cdata[<a href=1>]]><a href=2></a></svg>',
  '<svg><foreignObject><iframe src=1><a href=2></iframe></foreignObject><image src=3 /><img src=4></svg><title><a href=5></title>',
  '<svg><a xlink:href=1></a><a XLINK:HREF="2" href=3></a><a href xlink:href=4></a><desc><a xlink:href=5></a></desc></svg><a xlink:href=6>',
  '<svg><a xlink:href=" &#x31;?a&amp;b "></a><a xlink=1 link:href=2 xlink:hre=3 xlink:hreff=4></a></svg><math><a xlink:href=5></a></math>',
  '<svg><path d="M0 0"/><p><title><a href=1></title></svg>',
  '<math><mi><a href=1></a></mi><a href=2></a><mtext><img src=3></mtext></math><a href=4>',
  '<svg/><title><a href=1></title><a href=2>',
  '<p style="a:url(1)"><img src=2 style=a:url(3)><div\tSTYLE = \'a:url("4")\' ><a style="b:url(5)" style="b:url(6)" href=7>',
  '<p style="a:url(&quot;1?a&amp;b&quot;)"><p style="a:url&#40;2)"><p style><p style=""><p style="a:b"><p xstyle="a:url(3)">',
  '<p style="a:url(#x),url(data:,y)"><svg style="a:url(1)"><path style="a:url(2)"/></svg></p style="a:url(3)"><p style="a:url(4',
  '<style>a{b:url(1)}</style><style type=x>@import "2";/*url(3)*/</style><STYLE>a{b:url("</style>4")}</style>',
  '<style>a{b:url(&amp;1)}</style><template><style>a{b:url(2)}</style></template><svg><style>a{b:url(3)}</style></svg>',
  '<style>a{b:url(1) url("2',
  '<head><a href=1></head><body></body></html><a href=2>',
  '</a href=1><a href=2></p x="<a href=3>"><br/><a href=4>',
  '<<a href=1>>a href=2><a href=3>',
  '<a href=1></script></style></title><a href=2>',
  '<button><a href=1></button><object><a href=2></object><dl><dd><a href=3>',
]

/** A small seeded generator: the same pages in every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39)
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below
  }
}

const pieces = [
  ...[
    '<a href=',
    '<A HREF="',
    "<img src='",
    '<a ',
    'href',
    ' href=',
    'src=',
    '<area href="/x?a&amp;b">',
    '<link href=l>',
    '<base href=b>',
  ],
  ...[
    '<script>',
    '</script>',
    '</script ',
    '<script',
    '<!--',
    '-->',
    '--!>',
    '<!-->',
    '<!--->',
    '--',
    '-',
    '<!',
    '<?',
    '</',
    '</ ',
    '/>',
    '>',
  ],
  ...[
    '<style>',
    '</style>',
    '<title>',
    '</title>',
    '<textarea>',
    '</textarea>',
    '<xmp>',
    '</xmp>',
    '<iframe src=i>',
    '</iframe>',
  ],
  ...[
    '<noscript>',
    '</noscript>',
    '<form action=f>',
    '</form>',
    '<form method=post action=g>',
    '<p>',
    '</p>',
    '<div class="c">',
    '</div>',
    '</a>',
  ],
  ...[
    '<table>',
    '<tr><td>',
    '</table>',
    '<b>',
    '</b>',
    '"',
    "'",
    '=',
    ' ',
    '\n',
    '\t',
    '/',
    '&amp;',
    '&copy',
    '&#38;',
    '&',
    ';',
    'x',
    'é',
    '\0',
  ],
  ...[
    '<meta http-equiv=refresh content="3;url=m">',
    '<p style="a:url(u)">',
    ' style=',
    'url(v)',
    '@import "w";',
    '/*',
    '<img srcset="s 1x, t">',
    '<![CDATA[',
    ']]>',
    '#',
    'rel=nofollow ',
    '<span title=">">',
  ],
]

function randomPage(random: (below: number) => number): string {
  return Array.from({ length: 1 + random(40) }, () => pieces[random(pieces.length)]).join('')
}

function mutated(page: string, random: (below: number) => number): string {
  const at = random(page.length + 1)
  const cut = random(4)
  return page.slice(0, at) + (random(2) === 0 ? pieces[random(pieces.length)] : '') + page.slice(at + cut)
}

describe('fastfind agrees with a full HTML parser', () => {
  for (const page of trickyPages) {
    test(`on ${JSON.stringify(page)}`, () => assert.deepEqual(ours(page), reference(page)))
  }

  test('on random pages', () => {
    const random = createRandom(20260101)
    for (let i = 0; i < 6000; i++) {
      const page = randomPage(random)
      if (/<(?:form|t[dr])[^>]*style/i.test(page)) continue
      assert.deepEqual(ours(page), reference(page), JSON.stringify(page))
    }
  })

  test('on randomly damaged tricky pages', () => {
    const random = createRandom(42)
    const sound = trickyPages.filter((page) => !/<svg|<math|<template/.test(page))
    for (let i = 0; i < 6000; i++) {
      let page = sound[random(sound.length)]!
      for (let times = 1 + random(4); times > 0; times--) page = mutated(page, random)
      if (/<frame|<(?:form|html|head|body|t[dr])[^>]*style/i.test(page)) continue
      assert.deepEqual(ours(page), reference(page), JSON.stringify(page))
    }
  })
})
