import { escapeHtml } from '../../src/core/html/escape.ts'
import type { Random } from '../origin/random.ts'

/** Boilerplate sentences on all pages of a site, worded differently in each set. No id or class identifies them. */
export type SiteTexts = { readonly notices: readonly string[]; readonly about: readonly string[] }

export const tunedTexts: SiteTexts = {
  notices: [
    'We use cookies and similar technologies to give you the best experience on our site, to measure its use and to show you advertising that suits you. By clicking accept you agree that we and our 214 partners may store information on your device and read it, and that profiles may be made of it. You can change your mind at any time in the settings at the foot of each page.',
    'Your choice matters to us. Together with our partners we process personal data such as your address and your device in order to deliver content, to measure its success and to learn about our audience. Some partners do so on the ground of legitimate interest, to which you may object. What you choose here holds for this site alone and can be changed later on.',
  ],
  about: [
    'Founded in 1952, we have been reporting on what moves the region for three generations, and have remained independent ever since.',
    'Sign up for our morning briefing and get the five things you need to know today straight to your inbox.',
    'Independent reporting needs your support: for as little as two euros a month you help us stay free for everybody.',
    'If you have spotted a mistake in this article please let our editors know and we will put it right.',
    'Our reporters are free to choose what they write about; those who advertise with us have no say in it.',
    'All content of this site is protected by copyright and may be used elsewhere only with written permission of the publisher.',
    'Download our app for telephones and tablets to read all articles on the way, with or without a connection.',
    'You are reading one of three free articles of this month; with a subscription you can read as many as you like.',
    'Delivery within three working days, returns are free of charge for thirty days from the day the parcel arrives.',
    'Our customer service answers your questions from Monday to Friday between eight in the morning and six at night.',
  ],
}

export const heldOutTexts: SiteTexts = {
  notices: [
    'This website stores data on your computer. The data is used to collect information about how you interact with our website and allow us to remember you. We use this information in order to improve and customise your browsing experience and for analytics and metrics about our visitors both on this website and other media. If you decline, your information will not be tracked when you visit this website.',
    'Wir und unsere Partner speichern Informationen auf Ihrem Gerät oder rufen sie ab, etwa eindeutige Kennungen, um personenbezogene Daten zu verarbeiten. Sie können Ihre Einstellungen annehmen oder verwalten, einschließlich Ihres Widerspruchsrechts bei berechtigtem Interesse, indem Sie unten klicken, oder jederzeit auf der Seite der Richtlinie. Diese Einstellungen werden unseren Partnern mitgeteilt und haben keinen Einfluss auf die Surfdaten.',
  ],
  about: [
    'We are a team of twelve enthusiasts from four countries who write about technology because we love it.',
    'Some of the links on this page are affiliate links: we may earn a small commission when you buy something through them.',
    'Become a member today and enjoy reading without interruptions, early access to podcasts and a tote bag.',
    'The views expressed here are those of the authors alone and do not necessarily reflect the position of this publication.',
    'Follow us wherever you spend your time online and never miss a post again, we promise not to spam you.',
    'Wir freuen uns über Ihre Meinung: schreiben Sie uns einen Leserbrief mit vollem Namen und Anschrift.',
    'Every product we list was tested by our own laboratory for at least two weeks before it was recommended here.',
    'Prices include value added tax and are correct at the time of publication; they may have changed in the meantime.',
    'This material may not be published, broadcast, rewritten or redistributed without the express consent of the agency.',
    'Need help choosing? Call our experts around the clock, or visit one of our forty shops all over the country.',
  ],
}

export type Site = { readonly host: string; page(title: string, blocks: readonly string[]): Buffer }

/** A site with a menu, some of the sentences before and after the content, and one between its paragraphs. */
export function createSite(name: string, texts: SiteTexts, random: Random): Site {
  const menu = Array.from({ length: 5 }, (_, n) => `<a href="/${n}">${name} ${n}</a>`).join(' ')
  const own = texts.about.map((text) => ({ text, order: random.next() })).sort((a, b) => a.order - b.order)
  const [between, ...around] = own.slice(0, 2 + random.below(3)).map(({ text }) => `<div>${text}</div>`)
  const notice = random.next() < 0.5 ? `<div>${random.pick(texts.notices)}</div>` : ''
  return {
    host: `${name}.example`,
    page(title, blocks) {
      const middle = Math.ceil(blocks.length / 2)
      const paragraphs = blocks.map((text) => `<p>${escapeHtml(text)}</p>`)
      paragraphs.splice(middle, 0, between!)
      return Buffer.from(`<!doctype html><html><head><title>${escapeHtml(title)}</title></head><body><div>${menu}</div>${notice}
<h1>${escapeHtml(title)}</h1>${paragraphs.join('\n')}${around.join('\n')}<div>${name}, all day</div></body></html>`)
    },
  }
}
