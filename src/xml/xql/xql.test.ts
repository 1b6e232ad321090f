import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { XmlDocument, XmlXPath } from 'libxml2-wasm'
import { translateXql, xqlFault } from './xql.ts'

function xpathOf(query: string): string {
  const translated = translateXql(query)
  assert.ok(translated.kind === 'xpath', JSON.stringify(translated))
  return translated.xpath
}

function faultOf(query: string): string {
  const translated = translateXql(query)
  assert.ok(translated.kind === 'invalid', JSON.stringify(translated))
  return translated.message
}

describe('XQL queries', () => {
  test('are translated to XPath operator by operator', () => {
    const cases: [xql: string, xpath: string][] = [
      ['//urd[@id $eq$ "12"]', '//urd[@id = "12"]'],
      ['//a[@b $ne$ 1]', '//a[@b != 1]'],
      ['//a[@b $lt$ 1 $or$ @b $le$ 2]', '//a[@b < 1 or @b <= 2]'],
      ['//a[@b $gt$ 1 $and$ @b $ge$ 2]', '//a[@b > 1 and @b >= 2]'],
      ['//a[b && c || d]', '//a[b and c or d]'],
      ['//a $union$ //b', '//a | //b'],
      ['//a/b[@c $eq$ 1]/d', '//a/b[@c = 1]/d'],
      ['//a[child::b/.. $eq$ "x"]', '//a[child::b/.. = "x"]'],
      ['//a!count()', 'count(//a)'],
      ['//a[b!value() $eq$ 1]/c!text()', '//a[b = 1]/c/text()'],
      ['//a[end() $and$ index() $gt$ 1]', '//a[(position() = last()) and (position() - 1) > 1]'],
      ['//a[$any$ b $gt$ 3]', '//a[b > 3]'],
      ['//a[$all$ b $gt$ 3]', '//a[not((b)[not(. > 3)])]'],
      ['//a[$all$ 3 $gt$ b]', '//a[not((b)[not(. < 3)])]'],
      ['//a[b $contains$ "x"]', '//a[boolean((b)[contains(., "x")])]'],
      ['//a[b + 1 $gt$ 2 * c - 1 div 3]', '//a[b + 1 > 2 * c - 1 div 3]'],
      ['//*[@* $eq$ 1]/and[or]', '//*[@* = 1]/and[or]'],
    ]
    for (const [xql, xpath] of cases) assert.equal(xpathOf(xql), xpath)
  })

  test('keep the operator precedence of XQL', () => {
    const cases: [xql: string, xpath: string][] = [
      ['//a[$not$ b $eq$ 1 $and$ c]', '//a[not(b = 1) and c]'],
      ['//a[$not$ $not$ b]', '//a[not(not(b))]'],
      ['//a[b $or$ c $and$ d]', '//a[b or c and d]'],
      ['//a[(b $or$ c) $and$ d]', '//a[(b or c) and d]'],
      ['//a[$not$ (b $or$ c)]', '//a[not((b or c))]'],
      ['//a $union$ //b $intersect$ //c', '//a | (//b)[count(. | //c) = count(//c)]'],
    ]
    for (const [xql, xpath] of cases) assert.equal(xpathOf(xql), xpath)
    assert.match(faultOf('//a[b $eq$ 1 $union$ c]'), /^character 5: \$union\$ joins nodes, and comparisons bind/)
  })

  test('leave string literals and plain XPath unchanged', () => {
    for (const same of ['//a[. = "$and$"]', "//a[. = '$x$ ! &&']", '  //a [ 1 ]', 'a or b', '$x', '//a[', ''])
      assert.equal(xpathOf(same), same)
    assert.equal(xpathOf(`//a[b $eq$ '$or$ "' $and$ c = "it's"]`), `//a[b = '$or$ "' and c = "it's"]`)
  })

  test('report errors with their position', () => {
    const cases: [xql: string, message: RegExp][] = [
      ['//a[b $eg$ 1]', /^character 7: unknown operator \$eg\$; there are \$eq\$ \$ieq\$/],
      ['//a[$and$ b]', /^character 5: unexpected \$and\$$/],
      ['//a[b $and$]', /^character 12: unexpected \]$/],
      ['//a[b $and$ c', /^character 14: expected \], not the end$/],
      ['//a[b $eq$ "x]', /^character 12: a quote that is never closed$/],
      ['//a[b $eq$ #]', /^character 12: unexpected "#"$/],
      ['//a!size()', /^character 5: unknown method size; there are value, text, count, nodeName$/],
      ['//a[$all$ b]', /^character 12: \$all\$ needs a comparison$/],
      ['//a[b $eq$ c $eq$ d]', /^character 14: several comparisons in a row/],
      ['//a[b $ieq$ c]', /^character 13: \$ieq\$ compares with a text in quotes$/],
      ['//a[.//b $intersect$ .//c]', /^character 22: \$intersect\$ needs a path from the root/],
      ['//a $intersect$ 3', /^character 17: \$intersect\$ joins nodes$/],
      [`${'(//a $intersect$ '.repeat(12)}//a${')'.repeat(12)}`, /too complicated$/],
    ]
    for (const [xql, message] of cases) assert.match(faultOf(xql), message)
    assert.equal(xqlFault('//a[b'), 'character 6: expected ], not the end')
    assert.equal(xqlFault('//a[b = 1 = 1 < 2]'), null)
  })

  test('are translated or rejected without throwing, for any input', () => {
    const piece = fc.constantFrom(
      ...[
        '//a',
        'b',
        '@c',
        '[',
        ']',
        '(',
        ')',
        '$eq$',
        '$all$',
        '$not$',
        '$union$',
        '$intersect$',
        '$ieq$',
        '$x',
        '!count()',
      ],
      ...['"x"', "'", '3', '*', '/', '|', '=', '-', 'and', '..', '::', ',', 'end()', '$', '\\', '\ud800'],
    )
    const pieces = fc.array(piece, { maxLength: 12 }).map((each) => each.join(' '))
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), pieces), (query) => translateXql(query) !== null))
  })

  test('select the right nodes when evaluated', () => {
    using document = XmlDocument.fromString(`<r>
      <p n="1"><k key="Java" w="4"/><k key="IBM" w="1"/></p>
      <p n="2"><k key="java" w="2"/><k key="ÉTÉ" w="9"/></p>
      <p n="3"/>
    </r>`)
    const find = (xql: string): string => {
      using compiled = XmlXPath.compile(xpathOf(xql))
      const found = document.eval(compiled)
      return Array.isArray(found) ? found.map(({ content }) => content).join(' ') : String(found)
    }
    const cases: [xql: string, found: string][] = [
      ['//p[k/@key $ieq$ "JAVA"]/@n', '1 2'],
      ['//p["ibm" $ieq$ k/@key]/@n', '1'],
      ['//p[k/@key $ieq$ "été"]/@n', '2'],
      ['//p[k/@key $icontains$ "AV"]/@n', '1 2'],
      ['//p[k/@key $contains$ "AV"]/@n', ''],
      ['//p[k/@key $ine$ "java"]/@n', '1 2'],
      ['//p[k/@w $gt$ 3]/@n', '1 2'],
      ['//p[$all$ k/@w $gt$ 1]/@n', '2 3'],
      ['//p[k $and$ $all$ k/@w $ge$ 2]/@n', '2'],
      ['//p[$not$ k]/@n', '3'],
      ['//p[@n $gt$ 1]/@n $intersect$ //p[k]/@n', '2'],
      ['p[@n $gt$ 1]/@n $intersect$ p[k]/@n', '2'],
      ['//p[k[@w $gt$ 3] $intersect$ k[@key $eq$ "Java"]]/@n', '1'],
      ['//p[@n $eq$ 1]/@n $union$ //p[@n $eq$ 3]/@n', '1 3'],
      ['//k[@w $ieq$ 9]/@key', 'ÉTÉ'],
      ['//p[end()]/@n', '3'],
      ['//k!count() $gt$ 3', 'true'],
    ]
    for (const [xql, found] of cases) assert.equal(find(xql), found, `${xql}: ${xpathOf(xql)}`)
  })
})
