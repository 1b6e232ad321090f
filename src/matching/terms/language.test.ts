import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readDocument } from './document-terms.ts'
import { detectLanguage } from './language.ts'

const texts: Record<string, string> = {
  en: 'The report says that prices of wheat and oil have risen again, and that it is not known for how long this will last.',
  de: 'Der Bericht sagt, dass die Preise für Weizen und Öl wieder gestiegen sind und dass nicht bekannt ist, wie lange das dauern wird.',
  fr: 'Le rapport dit que les prix du blé et du pétrole ont augmenté de nouveau et que la durée n’est pas connue dans le pays.',
  es: 'El informe dice que los precios del trigo y del petróleo han subido de nuevo y que no se sabe por cuánto tiempo.',
  it: 'Il rapporto dice che i prezzi del grano e della benzina sono saliti di nuovo e che non si sa per quanto tempo.',
  pt: 'O relatório diz que os preços do trigo e do petróleo subiram de novo e que não se sabe por quanto tempo.',
  nl: 'Het rapport zegt dat de prijzen van tarwe en olie weer zijn gestegen en dat niet bekend is voor hoe lang.',
  ru: 'В докладе говорится, что цены на пшеницу и нефть снова выросли и что не известно, как долго это будет.',
  ja: '報告書によると小麦と石油の価格が再び上昇したということです。',
  zh: '报告说小麦和石油的价格再次上涨，目前还不知道会持续多久。',
  ko: '보고서에 따르면 밀과 석유 가격이 다시 올랐으며 얼마나 오래 지속될지 알 수 없다.',
  th: 'รายงานระบุว่าราคาข้าวสาลีและน้ำมันเพิ่มขึ้นอีกครั้ง',
  el: 'Η έκθεση λέει ότι οι τιμές του σιταριού και του πετρελαίου αυξήθηκαν ξανά.',
}

describe('the language of a document', () => {
  for (const [language, text] of Object.entries(texts))
    test(`is detected as ${language} from a text`, () => {
      assert.equal(detectLanguage(readDocument({ url: '', title: '', text }).plain), language)
    })

  test('is the one that the page declares, if that is a valid language', () => {
    const document = readDocument({ url: '', title: '', text: texts.de! })
    const found = ['fr', 'pt-BR', ' EN_us', '', 'x-default', 'english', undefined].map((said) =>
      detectLanguage(document.plain, said),
    )
    assert.deepEqual(found, ['fr', 'pt', 'en', 'de', 'de', 'de', 'de'])
  })

  test('is unknown if nothing indicates it', () => {
    assert.equal(detectLanguage(readDocument({ url: '', title: '', text: 'qwerty 1234 zxcv' }).plain), '')
    assert.equal(detectLanguage(readDocument({ url: '', title: '', text: '' }).plain), '')
  })
})
