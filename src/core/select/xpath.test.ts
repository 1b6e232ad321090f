import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { ParseOption, XmlAttribute, XmlDocument, XmlElement, XmlText } from 'libxml2-wasm'
import { createPageTree } from '../text/page-tree.ts'
import { createWorkBudget, isExhausted } from '../work/work-budget.ts'
import { selectByXPath, type XPathNode } from './xpath.ts'
import { readXPath } from './xpath-syntax.ts'

function chosen(page: string, path: string, isXml = true, steps = 1_000_000): string[] {
  const root = createPageTree(page, isXml)!
  return selectByXPath(readXPath(path), root, isXml, createWorkBudget(steps)).map(named)
}

function named(node: XPathNode): string {
  if (node.kind === 'attribute') return `@${node.name}=${node.value}`
  if (node.kind === 'text') return `"${node.text}"`
  if (node.kind === 'root') return '/'
  return `${node.name}${Object.hasOwn(node.attributes, 'n') ? node.attributes.n : ''}`
}

/** The same with the reference implementation. */
function chosenByLibrary(page: string, path: string): string[] {
  using document = XmlDocument.fromString(page, { option: ParseOption.XML_PARSE_DEFAULT })
  return document.find(path).map((node) => {
    if (node instanceof XmlAttribute) return `@${node.name}=${node.value}`
    if (node instanceof XmlText) return `"${node.content}"`
    if (node instanceof XmlElement) return `${node.name}${node.attr('n')?.value ?? ''}`
    return '/'
  })
}

const page = `<r n="0"><a n="1" x="1">one<b n="2">1.5</b>two</a><a n="3" x="2"><b n="4">2</b><b n="5" x="2">3 &amp; 4</b></a><c n="6"><d n="7"><b n="8"/></d> tail</c></r>`

describe('XPath on pages', () => {
  const paths = [
    ...['/r/a/b', '//b', '//a[2]/b[1]', '//b[last()]', '(//b)[last()]', '//a/@x', '//*[@x]', '//a[@x="2"]', '//text()'],
    ...[
      '//b[. > 1.4]',
      '//b[number(.) = 2 or @x]',
      '//d/..',
      '//d/ancestor::*',
      '//b/preceding::b',
      '//b/following::b',
    ],
    ...['//b/preceding-sibling::node()', '//a/following-sibling::*[1]', '//b/ancestor::*[1]', '//c//b | //a', '/'],
    ...[
      '//*[contains(., "1.5")]',
      '//*[starts-with(name(), "c")]',
      '//b[normalize-space(.) = "3 & 4"]',
      '//a[count(b) = 2]',
    ],
    ...[
      '//b[position() mod 2 = 1]',
      '//*[string-length(@x) > 0]',
      '//b[translate(., "1", "x") = "x.5"]',
      '//b[not(@x)]',
    ],
    ...[
      '//a[b = 2]',
      '//a[b != 2]',
      '//a[sum(b) > 1]',
      '//*[self::a or self::c]/descendant::b',
      '//b[substring(., 2) = ".5"]',
    ],
    ...[
      '//a[-1 < 0]',
      '//b[../@x = 2]',
      '//b[concat(., "!") = "2!"]',
      '//a/b[1][@n]',
      '//b[floor(.) = 1]',
      '//a[true()]/b[2]',
    ],
  ]
  for (const path of paths) test(path, () => assert.deepEqual(chosen(page, path), chosenByLibrary(page, path)))

  test('agrees with libxml2 on random pages and paths', () => {
    const tree = fc.letrec((tie) => ({
      element: fc
        .record({
          name: fc.constantFrom('a', 'b', 'c'),
          x: fc.option(fc.constantFrom('1', '2')),
          children: fc.array(fc.oneof({ maxDepth: 4 }, fc.constantFrom('1', 'two'), tie('element')), { maxLength: 4 }),
        })
        .map(({ name, x, children }) => `<${name}${x === null ? '' : ` x="${x}"`}>${children.join('')}</${name}>`),
    }))
    const axis = fc.constantFrom(
      '',
      '',
      'descendant::',
      'ancestor::',
      'following::',
      'preceding::',
      'following-sibling::',
      'preceding-sibling::',
      'descendant-or-self::',
      'parent::',
    )
    const condition = fc.constantFrom(
      '',
      '',
      '[1]',
      '[last()]',
      '[@x]',
      '[@x = 2]',
      '[b]',
      '[position() > 1]',
      '[. = "1"]',
      '[a/b]',
      '[count(*) < 2]',
    )
    const step = fc.tuple(
      fc.constantFrom('/', '//'),
      axis,
      fc.constantFrom('a', 'b', '*', 'node()', 'text()'),
      condition,
    )
    const path = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => steps.flat().join(''))
    let n = 0
    const numbered = (xml: string): string => xml.replace(/<([abc])/g, (tag) => `${tag} n="${n++}"`)
    fc.assert(
      fc.property(tree.element, path, (element, given) => {
        const xml = numbered(`<a>${element as string}</a>`)
        assert.deepEqual(chosen(xml, given), chosenByLibrary(xml, given))
      }),
      { numRuns: 300 },
    )
  })

  test('ignores the case of HTML names and accepts elements that browsers add', () => {
    const html = '<P class=a>x<table><tr><td n=1>1</table><DIV n=2>y</DIV>'
    assert.deepEqual(chosen(html, '//DIV', false), ['div2'])
    assert.deepEqual(chosen(html, '/html/body/table/tbody/tr/td', false), ['td1'])
  })

  test('stops expensive paths when the budget is exhausted', () => {
    const wide = `<r>${'<a>'.repeat(100)}${'<b/>'.repeat(2000)}${'</a>'.repeat(100)}</r>`
    for (const path of [
      '//*//*//*//*//*[count(//*) > count(//*//*)]',
      '//b[count(preceding::b) = count(following::b)]',
      `//*[${Array(80).fill('1').join('+')} > 0][//b = //b]`,
      '//*[string-length(concat(., ., ., ., .)) > string-length(//*)]',
      '//b/following::b/preceding::b/following::b/preceding::b',
    ])
      assert.throws(() => chosen(wide, path, true, 300_000), isExhausted)
  })

  test('rejects invalid XPath with the reason', () => {
    for (const [path, reason] of [
      ['//a[', /ends too early/],
      ['//a]', /unexpected "]"/],
      ['count(//a)', /gives a value/],
      ['//a[foo()]', /unknown function foo/],
      ['//a[$x]', /variables/],
      ['//nowhere::a', /unknown axis/],
      ['//a[contains(.)]', /contains\(\) has 1 arguments/],
      [`//a[${'('.repeat(100)}1${')'.repeat(100)}]`, /too deeply/],
      ['//a # b', /unexpected "#"/],
    ] as const)
      assert.throws(() => readXPath(path), reason)
  })
})
