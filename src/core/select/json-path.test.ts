import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createWorkBudget, isExhausted } from '../work/work-budget.ts'
import { type JsonNode, selectByJsonPath } from './json-path.ts'
import { readJsonPath } from './json-path-syntax.ts'

/** The keys from the document down to the value. */
function placeOf({ parent, key }: JsonNode): (string | number)[] {
  return parent === null ? [] : [...placeOf(parent), key]
}

function chosen(document: unknown, path: string, steps = 100_000): string[] {
  return selectByJsonPath(readJsonPath(path), document, createWorkBudget(steps)).map((node) => placeOf(node).join('/'))
}

/** The example of RFC 9535, section 1.5. */
const store = {
  store: {
    book: [
      { category: 'reference', author: 'Nigel Rees', title: 'Sayings of the Century', price: 8.95 },
      { category: 'fiction', author: 'Evelyn Waugh', title: 'Sword of Honour', price: 12.99 },
      { category: 'fiction', author: 'Herman Melville', title: 'Moby Dick', isbn: '0-553-21311-3', price: 8.99 },
      { category: 'fiction', author: 'J. R. R. Tolkien', title: 'The Lord', isbn: '0-395-19395-8', price: 22.99 },
    ],
    bicycle: { color: 'red', price: 399 },
  },
}
const books = (...n: number[]) => n.map((at) => `store/book/${at}`)

describe('JSONPath', () => {
  for (const [path, expected] of [
    ['$', ['']],
    ['$.store.book[*].author', books(0, 1, 2, 3).map((book) => `${book}/author`)],
    ['$..author', books(0, 1, 2, 3).map((book) => `${book}/author`)],
    ['$.store.*', ['store/book', 'store/bicycle']],
    ['$.store..price', [...books(0, 1, 2, 3).map((book) => `${book}/price`), 'store/bicycle/price']],
    ['$..book[2]', books(2)],
    ['$..book[2].publisher', []],
    ['$..book[-1]', books(3)],
    ['$..book[0,1]', books(0, 1)],
    ['$..book[:2]', books(0, 1)],
    ['$..book[::-2]', books(3, 1)],
    ['$..book[?@.isbn]', books(2, 3)],
    ['$..book[?(@.price < 10)]', books(0, 2)],
    ["$['store']['bicycle'][\"color\"]", ['store/bicycle/color']],
    ['$..book[?@.price < $.store.bicycle.price && @.category != "fiction"]', books(0)],
    ['$..book[?!@.isbn || @.price > 20]', books(0, 1, 3)],
    ['$..book[?match(@.author, "[A-Z].*")].title', books(0, 1, 2, 3).map((book) => `${book}/title`)],
    ['$..book[?search(@.title, "Dick$")]', books(2)],
    ['$..book[?length(@.title) > 20]', books(0)],
    ['$.store[?count(@.*) == 2]', ['store/bicycle']],
    ['$.store.book[0]["price","title"]', ['store/book/0/price', 'store/book/0/title']],
    ['$.store.toString', []],
    ['$..*[?@ == 8.95]', ['store/book/0/price']],
  ] as const)
    test(path, () => assert.deepEqual(chosen(store, path).sort(), [...expected].sort()))

  test('reads quotation marks and backslashes in quoted names', () => {
    const names = { "it's": 1, 'say "x"': 2, 'C:\\"x"\\': 3 }
    for (const [path, name] of [
      ["$['it\\'s']", "it's"],
      ['$["it\'s"]', "it's"],
      ['$[\'say "x"\']', 'say "x"'],
      ['$[\'C:\\\\"x"\\\\\']', 'C:\\"x"\\'],
      ['$["C:\\\\\\"x\\"\\\\"]', 'C:\\"x"\\'],
    ] as const)
      assert.deepEqual(chosen(names, path), [name], path)
    assert.deepEqual(chosen({ a: { tags: ['x', 'y'] }, b: { tags: ['y'] } }, '$[?@.tags[?@ == "x"]]'), ['a'])
    assert.deepEqual(chosen([{ a: 1 }, { a: 2 }], '$[?value(@..a) == 2]'), ['1'])
  })

  test('searches deep and wide documents, and stops when the budget is exhausted', () => {
    let deep: unknown = { price: 1 }
    for (let at = 0; at < 1000; at++) deep = at % 2 === 0 ? [deep] : { a: deep }
    assert.equal(chosen(deep, '$..price').length, 1)
    assert.throws(() => chosen(deep, '$..*..*..*'), isExhausted)
    const wide = Array.from({ length: 200_000 }, (_, id) => ({ id }))
    assert.throws(() => chosen(wide, '$[*].id', 10_000), isExhausted)
    assert.throws(() => chosen(wide, '$[?count($[?@.id == 1]) > 0]', 1_000_000), isExhausted)
    assert.equal(chosen(wide, '$[*].id', 10_000_000).length, 200_000)
  })

  test('rejects invalid JSONPath with the reason', () => {
    for (const [path, reason] of [
      ['$.', /ends too early/],
      ['$[', /ends too early/],
      ['$.a]', /unexpected "]"/],
      ['$[?1]', /a value alone/],
      ['$[?(@.a]', /unexpected "]"/],
      ['$[?match(@.a, "(")]', /\(/],
      ['$[?@.tags[*] == "x"]', /several values/],
      ['$[?"x" == @..tag]', /several values/],
      ['$[?@[0, 1] < 2]', /several values/],
      ['$[?length(@.*) < 3]', /several values/],
      ['$[?match(@.tags[:1], "x")]', /several values/],
      ['$[?value(@.a)]', /a value alone/],
      [`$[?${'('.repeat(50)}@.a${')'.repeat(50)}]`, /too deeply/],
    ] as const)
      assert.throws(() => readJsonPath(path), reason)
  })
})
