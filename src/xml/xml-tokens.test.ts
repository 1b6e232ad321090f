import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type XmlElement as LibElement, ParseOption, XmlComment, XmlDocument } from 'libxml2-wasm'
import { readXmlTree, textOf, treeLimits, type XmlNode } from './xml-tree.ts'

const read = (xml: string | Uint8Array): XmlNode => readXmlTree(xml, { ...treeLimits, maxDepth: 5 })

describe('the XML reader', () => {
  const good: Record<string, [text: string, content: string]> = {
    'an empty element': ['<a/>', ''],
    'text with references': ['<a>&lt;&#65;&#x1F600;&amp;amp;&quot;&apos;&gt;</a>', '<A😀&amp;"\'>'],
    'all kinds of line endings': ['<a>1\r\n2\r3\n4&#13;</a>', '1\n2\n3\n4\r'],
    CDATA: ['<a>x<![CDATA[<b>&amp;]] >]]>y</a>', 'x<b>&amp;]] >y'],
    'comments and processing instructions': [
      '<?xml version="1.0"?><!-- a > "b --><a>x<!----><?p ?>y</a><!-- c --> <?q?>',
      'xy',
    ],
    'a document type that refers to a file': ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>x</a>', 'x'],
    'a byte order mark': ['\ufeff<a>x</a>', 'x'],
    'white space in tags': ['<a\n>x</a\t>', 'x'],
  }
  for (const [name, [text, content]] of Object.entries(good)) {
    test(`reads ${name}`, () => {
      assert.equal(textOf(read(text)), content)
      assert.equal(textOf(read(Buffer.from(text))), content)
    })
  }

  test('reads attributes, with white space normalised to spaces', () => {
    const { attributes } = read(`<a x = "1 > '&quot;" y='\t"&#9;\r\n'/>`)
    assert.deepEqual(Object.fromEntries(attributes), { x: `1 > '"`, y: ' "\t ' })
  })

  const bad: Record<string, string> = {
    'an empty document': '',
    'text without an element': 'a',
    'text after the root': '<a/>x',
    'two roots': '<a/><a/>',
    'an unclosed element': '<a>',
    'mismatched tags': '<a></b>',
    'an extra end tag': '<a/></a>',
    'overlapping tags': '<a><b></a></b>',
    'a duplicate attribute': '<a x="1" x="2"/>',
    'an unquoted attribute': '<a x=1/>',
    'attributes without white space between them': '<a x="1"y="2"/>',
    'a "<" in an attribute': '<a x="<"/>',
    'an unclosed attribute': '<a x="1/>',
    'a bare ampersand': '<a>a & b</a>',
    'an unknown entity': '<a>&nbsp;</a>',
    'a reference to U+0000': '<a>&#0;</a>',
    'a reference to a lone surrogate': '<a>&#xD800;</a>',
    'a reference beyond Unicode': '<a>&#x110000;</a>',
    'an empty reference': '<a>&#x;</a>',
    'an unterminated reference': '<a>&lt</a>',
    'the end of CDATA in text': '<a>]]></a>',
    'a control character': '<a>\u0001</a>',
    'a lone surrogate': '<a>\ud800</a>',
    'two dashes in a comment': '<a><!-- a--b --></a>',
    'a dash at the end of a comment': '<a><!-- a ---></a>',
    'an unterminated comment': '<a/><!-- ',
    'a tag cut off by the end of the document': '<a/><',
    'a declaration that is not first': ' <?xml version="1.0"?><a/>',
    'a declaration of an encoding other than UTF-8': '<?xml version="1.0" encoding="latin1"?><a/>',
    'a declaration without a version': '<?xml encoding="utf-8"?><a/>',
    'a document type with declarations': '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
    'a document type after the root': '<a/><!DOCTYPE a>',
    'a space before the tag name': '< a/>',
    'a name that begins with a digit': '<1/>',
    'elements nested too deeply': '<a><b><b><b><b><b/></b></b></b></b></a>',
  }
  for (const [name, text] of Object.entries(bad)) {
    test(`refuses ${name}`, () => {
      assert.throws(() => read(text), { name: 'InvalidXmlError' })
    })
  }

  test('refuses bytes that are not UTF-8', () => {
    assert.throws(() => read(Buffer.from('<a>\xe9</a>', 'latin1')), /not UTF-8/)
    assert.throws(() => read(Buffer.concat([Buffer.from('<a/>'), Buffer.of(0xc3)])), /not UTF-8/)
  })

  test('reports the line of the error', () => {
    assert.throws(() => read('<list>\n<a/>\n<a\n></b></list>'), {
      error: { line: 4, message: '</b> where <a> is open' },
    })
    assert.throws(() => read('<a>\n\nx\n\0'), /^InvalidXmlError: line 4: .*U\+0000/)
  })

  test('reads long tokens up to a limit', () => {
    const textOfLength = (length: number) => `<a x="${'>'.repeat(length)}">${'x'.repeat(length)}</a>`
    assert.equal(textOf(read(textOfLength(900_000)))!.length, 900_000)
    assert.throws(() => read(textOfLength(1_000_000)), /longer than 1000000 characters/)
  })

  test('accepts only what libxml2 accepts, and reads the same content', () => {
    const piece = fc.constantFrom(
      ...[
        '<a>',
        '</a>',
        '<a/>',
        '<b x="1">',
        "<b y='&lt;'/>",
        '</b>',
        'x',
        ' ',
        '\n',
        '&amp;',
        '&#65;',
        '&#xe9;',
        '&',
        '<',
        '>',
        ']]>',
      ],
      ...[
        '<!--c-->',
        '<![CDATA[<d>]]>',
        '<?p q?>',
        '"',
        "'",
        '=',
        '-',
        '--',
        '<a x="1" x="1">',
        '<?xml version="1.0"?>',
        '<!DOCTYPE a>',
      ],
    )
    const shape = fc.oneof(
      fc.array(piece, { maxLength: 12 }),
      fc.array(piece, { maxLength: 8 }).map((inner) => ['<a>', ...inner, '</a>']),
    )
    let taken = 0
    fc.assert(
      fc.property(shape, (pieces) => {
        const text = pieces.join('')
        let root: XmlNode
        try {
          root = read(text)
        } catch {
          return
        }
        taken++
        const option = ParseOption.XML_PARSE_NO_XXE
        using whole = XmlDocument.fromString(text, { option })
        assert.equal(whole.root.name, root.name)
        // The binding has no nodes for instructions.
        using document = XmlDocument.fromString(text.replaceAll('<?p q?>', ''), { option })
        assert.deepEqual(outline(root), libOutline(document.root))
      }),
      { numRuns: 3000, seed: 7 },
    )
    assert.ok(taken > 100, `only ${taken} were well-formed`)
  })
})

type Outline = [name: string, attributes: Record<string, string>, text: string, children: Outline[]]

function outline({ name, attributes, content }: XmlNode): Outline {
  const children = content.filter((each) => typeof each !== 'string')
  const text = content.filter((each) => typeof each === 'string').join('')
  return [name, Object.fromEntries(attributes), text, children.map(outline)]
}

function libOutline(element: LibElement): Outline {
  let text = ''
  const children: Outline[] = []
  for (let node = element.firstChild; node !== null; node = node.next) {
    if ('attrs' in node) children.push(libOutline(node as LibElement))
    else if (!(node instanceof XmlComment)) text += node.content
  }
  return [element.name, Object.fromEntries(element.attrs.map(({ name, value }) => [name, value])), text, children]
}
