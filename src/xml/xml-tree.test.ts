import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readXmlTree, rootNameOf, treeLimits } from './xml-tree.ts'

describe('XML tree', () => {
  test('keeps text and elements in document order, and merges adjacent text', () => {
    const { name, content } = readXmlTree('\ufeff<a x="1">one<!-- --> <![CDATA[<two>]]><b/>\n<b>three</b></a>')
    assert.equal(name, 'a')
    assert.deepEqual(
      content.map((each) => (typeof each === 'string' ? each : [each.name, each.line, each.content])),
      ['one <two>', ['b', 1, []], '\n', ['b', 2, ['three']]],
    )
  })

  test('rejects input that is too large, too deep, has too many elements or is not XML', () => {
    const wrong: [xml: string | Uint8Array, message: RegExp][] = [
      ['<a></a>', /more than 6 bytes/],
      ['<a><a><a/></a></a>', /nested more than 2 deep/],
      ['<a><b/><b/><b/></a>', /more than 3 elements/],
      ['<a>', /ends inside/],
      ['', /no root element/],
      [Uint8Array.of(0xff), /not UTF-8/],
    ]
    for (const [index, [xml, message]] of wrong.entries()) {
      const limits = { maxBytes: index === 0 ? 6 : 100, maxElements: 3, maxDepth: 2 }
      assert.throws(() => readXmlTree(xml, limits), message)
    }
  })

  test('gives the name of the root element without reading the rest', () => {
    assert.equal(rootNameOf('<?xml version="1.0"?><!-- x --><!DOCTYPE a SYSTEM "a.dtd"> <urds><broken'), 'urds')
    for (const xml of ['', 'x', '<!DOCTYPE a []><a/>', Uint8Array.of(0xff)]) assert.equal(rootNameOf(xml), null)
    assert.equal(rootNameOf('<a/>', { ...treeLimits, maxBytes: 3 }), null)
  })
})
