import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DECK_BYTES } from './wml.ts'

/**
 * Fails unless decks are valid against the DTD of WML 1.1 (according to libxml2) and keep to rules a DTD can't express: the maximum
 * size on a phone, dollar signs that start a known variable or are doubled, and one `do` of each name per card.
 */
export function checkDecks(decks: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'erace-wml-'))
  try {
    const dtd = join(folder, 'wml.dtd')
    writeFileSync(dtd, wmlDtd)
    const files = decks.map((deck, n) => {
      const file = join(folder, `${n}.wml`)
      writeFileSync(file, deck)
      return file
    })
    const { status, stderr } = spawnSync('xmllint', ['--nonet', '--noout', '--dtdvalid', dtd, ...files], {
      encoding: 'utf8',
    })
    assert.equal(status, 0, stderr.slice(0, 3000))
  } finally {
    rmSync(folder, { recursive: true })
  }
  for (const deck of decks) {
    assert.ok(Buffer.byteLength(deck) <= DECK_BYTES, `${Buffer.byteLength(deck)} bytes: ${deck}`)
    const rest = deck
      .replaceAll('$$', '')
      .replace(/\$\((\w+)\)/g, (whole, name: string) => (deck.includes(`<input name="${name}"`) ? '' : whole))
    assert.doesNotMatch(rest, /\$/)
    const names = [...deck.matchAll(/<do type="(\w+)"(?: name="(\w+)")?/g)].map(([, type, name]) => name ?? type)
    assert.equal(new Set(names).size, names.length, deck)
  }
}

/** `-//WAPFORUM//DTD WML 1.1//EN`, without elements that our decks never use (select, fieldset, table, img, timer, template). */
const wmlDtd = `
<!ENTITY % boolean "(true|false)">
<!ENTITY % coreattrs "id ID #IMPLIED class CDATA #IMPLIED">
<!ENTITY % emph "em|strong|b|i|u|big|small">
<!ENTITY % flow "#PCDATA|%emph;|br|anchor|a">
<!ENTITY % task "go|prev|noop|refresh">
<!ELEMENT wml (head?, card+)>
<!ATTLIST wml xml:lang NMTOKEN #IMPLIED %coreattrs;>
<!ELEMENT head (access|meta)+>
<!ELEMENT access EMPTY>
<!ATTLIST access domain CDATA #IMPLIED path CDATA #IMPLIED %coreattrs;>
<!ELEMENT meta EMPTY>
<!ATTLIST meta http-equiv CDATA #IMPLIED name CDATA #IMPLIED forua %boolean; #IMPLIED content CDATA #REQUIRED scheme CDATA #IMPLIED %coreattrs;>
<!ELEMENT card (onevent*, (do|p)*)>
<!ATTLIST card title CDATA #IMPLIED newcontext %boolean; "false" ordered %boolean; "true" xml:lang NMTOKEN #IMPLIED
  onenterforward CDATA #IMPLIED onenterbackward CDATA #IMPLIED ontimer CDATA #IMPLIED %coreattrs;>
<!ELEMENT onevent (%task;)>
<!ATTLIST onevent type CDATA #REQUIRED %coreattrs;>
<!ELEMENT do (%task;)>
<!ATTLIST do type CDATA #REQUIRED label CDATA #IMPLIED name NMTOKEN #IMPLIED optional %boolean; "false" xml:lang NMTOKEN #IMPLIED %coreattrs;>
<!ELEMENT go (postfield|setvar)*>
<!ATTLIST go href CDATA #REQUIRED sendreferer %boolean; "false" method (post|get) "get" accept-charset CDATA #IMPLIED %coreattrs;>
<!ELEMENT prev (setvar)*>
<!ATTLIST prev %coreattrs;>
<!ELEMENT refresh (setvar)*>
<!ATTLIST refresh %coreattrs;>
<!ELEMENT noop EMPTY>
<!ATTLIST noop %coreattrs;>
<!ELEMENT postfield EMPTY>
<!ATTLIST postfield name CDATA #REQUIRED value CDATA #REQUIRED %coreattrs;>
<!ELEMENT setvar EMPTY>
<!ATTLIST setvar name CDATA #REQUIRED value CDATA #REQUIRED %coreattrs;>
<!ELEMENT input EMPTY>
<!ATTLIST input name NMTOKEN #REQUIRED type (text|password) "text" value CDATA #IMPLIED format CDATA #IMPLIED emptyok %boolean; "false"
  size NMTOKEN #IMPLIED maxlength NMTOKEN #IMPLIED tabindex NMTOKEN #IMPLIED title CDATA #IMPLIED xml:lang NMTOKEN #IMPLIED %coreattrs;>
<!ELEMENT p (%flow;|input|do)*>
<!ATTLIST p align (left|right|center) "left" mode (wrap|nowrap) #IMPLIED xml:lang NMTOKEN #IMPLIED %coreattrs;>
<!ELEMENT br EMPTY>
<!ATTLIST br xml:lang NMTOKEN #IMPLIED %coreattrs;>
<!ELEMENT a (#PCDATA|br)*>
<!ATTLIST a href CDATA #REQUIRED title CDATA #IMPLIED xml:lang NMTOKEN #IMPLIED %coreattrs;>
<!ELEMENT anchor (#PCDATA|br|go|prev|refresh)*>
<!ATTLIST anchor title CDATA #IMPLIED xml:lang NMTOKEN #IMPLIED %coreattrs;>
${['em', 'strong', 'b', 'i', 'u', 'big', 'small']
  .map((name) => `<!ELEMENT ${name} (%flow;)*>\n<!ATTLIST ${name} xml:lang NMTOKEN #IMPLIED %coreattrs;>`)
  .join('\n')}
`
