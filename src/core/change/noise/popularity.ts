import { isNumber, isSign, type Reading } from './moments.ts'
import type { Token } from './tokens.ts'
import { phrases, units } from './vocabulary.ts'

/** Verbs for using a page, a file or a video. */
const done = phrases(`
viewed, read, seen, accessed, visited, watched, played, downloaded, shared, opened, clicked, liked, listened, loaded, requested
angesehen, aufgerufen, gelesen, besucht, heruntergeladen, geteilt, abgespielt, geklickt, vu, vue, lu, lue, consulté, consultée, visité, téléchargé, partagé
visto, vista, leído, leída, visitado, descargado, compartido, letto, letta, visitato, scaricato, condiviso, lido, lida, acessado, baixado, bekeken, gelezen, gedownload
visad, läst, sett, lest, vist, просмотрено, прочитано, скачано, wyświetlono, przeczytano, pobrano, zobrazeno, staženo, okundu, görüntülendi
`)
const times = phrases(
  'times, time, x, ×, mal, fois, veces, vez, volte, volta, vezes, keer, gånger, ganger, gange, раз, раза, razy, raz, krát, kez, defa',
)
const by = phrases('by, von, par, por, da, door, av, af')
const crowd = phrases(
  'people, others, users, readers, members, visitors, viewers, fans, customers, personen, nutzern, personnes, personas, persone, pessoas, mensen',
)

/** Signs of approval: only alone, or between punctuation. */
const approvals = phrases(`
like, likes, share, shares, retweet, retweets, repost, reposts, reaction, reactions, upvote, upvotes, clap, claps, watcher, watchers, watching, viewing, follower, followers
subscriber, subscribers, play, plays, heart, hearts, favorite, favorites, favourite, favourites, bookmarks, pins, saves, kudos
gefällt mir, mal geteilt, reaktionen, merken, j'aime, partages, réactions, abonnés, me gusta, compartidos, reacciones, mi piace, condivisioni, curtidas, compartilhamentos
лайк, лайка, лайков, репостов, polubień, polubienia, udostępnień, beğeni, 赞, 点赞, 转发, 收藏, いいね, 좋아요
`)
const baskets = phrases(
  'cart, carts, basket, baskets, bag, bags, wishlist, wishlists, watchlist, watchlists, warenkorb, warenkörben, wunschlisten, panier, paniers, carrito, carritos, carrello, carrelli, carrinhos',
)
const sold = phrases(
  'sold, bought, purchased, ordered, booked, verkauft, gekauft, bestellt, gebucht, vendus, achetés, vendidos, comprados, venduti',
)
const lately = phrases(`
today, in the last, in the past, in last, in past, within the last, over the last, last, past, heute, in den letzten, aujourd'hui, dans les dernières, ces dernières, hoy, en las últimas, oggi, nelle ultime, hoje, nas últimas
`)
const days = phrases("today, heute, aujourd'hui, hoy, oggi, hoje")

/** "Viewed 12 times", "Liked by 34 people", "♥ 12 likes", "In 12 carts", "340 sold in the last 24 hours". */
export function popularity({ tokens }: Reading, i: number): number {
  const verb = done.at(tokens, i)
  if (verb > 0) {
    const end = countedDone(tokens, i + verb)
    if (end > i + verb) return end
  }
  const sale = sold.at(tokens, i)
  if (sale > 0) {
    const counted = skipAmount(tokens, i + sale)
    const end = counted > i + sale ? skipLately(tokens, counted + times.at(tokens, counted)) : 0
    if (end > 0) return end
  }
  return isNumber(tokens[i]) ? countedFirst(tokens, i) : i
}

function countedDone(tokens: readonly Token[], from: number): number {
  const mention = by.at(tokens, from)
  const at = from + (mention || (isSign(tokens[from], ':') ? 1 : 0))
  const counted = skipAmount(tokens, at)
  if (counted === at) return from
  const noun = mention > 0 ? crowd.at(tokens, counted) : times.at(tokens, counted)
  const end = counted + noun
  if (noun === 0) return from
  const later = skipLately(tokens, end)
  // "Seen 3 times champion", "read 3 times a day".
  return later > 0 ? later : tokens[end]?.kind === 'word' ? from : end
}

function countedFirst(tokens: readonly Token[], i: number): number {
  const counted = skipAmount(tokens, i)
  const isBetween = (at: number): boolean => tokens[at]?.kind === 'sign' && !isSign(tokens[at], ',.%€$£¥-+/:=')
  const liked = approvals.at(tokens, counted)
  if (liked > 0 && (i === 0 || isBetween(i - 1))) {
    const end = counted + liked
    if (end >= tokens.length || isBetween(end) || (isSign(tokens[end], '.') && end === tokens.length - 1)) return end
  }
  const owner = skipOwner(tokens, counted)
  const isIn = /^(?:in|im|dans|en|nei|em)$/
  if (isIn.test(tokens[i - 1]?.text ?? '')) {
    const held = baskets.at(tokens, owner)
    if (held > 0) return owner + held
  }
  if (isIn.test(tokens[counted]?.text ?? '')) {
    const held = baskets.at(tokens, counted + 1)
    if (held > 0) return counted + 1 + held
  }
  const sale = sold.at(tokens, counted + times.at(tokens, counted))
  return sale > 0 ? skipLately(tokens, counted + sale) || i : i
}

/** "1,234", "20+", "1.2k". */
function skipAmount(tokens: readonly Token[], i: number): number {
  if (!isNumber(tokens[i])) return i
  const end = i + (/^(?:k|m|mio|tsd|тыс|mil)$/.test(tokens[i + 1]?.text ?? '') ? 2 : 1)
  return isSign(tokens[end], '+') ? end + 1 : end
}

/** "people's", "other customers’". */
function skipOwner(tokens: readonly Token[], i: number): number {
  let at = i
  for (let k = 0; k < 4; k++)
    if (crowd.at(tokens, at) > 0 || isSign(tokens[at], "'’") || /^(?:s|other|different)$/.test(tokens[at]?.text ?? ''))
      at++
  return at
}

/** "today", "in the last 24 hours"; 0 if there is no such phrase. */
function skipLately(tokens: readonly Token[], i: number): number {
  const day = days.at(tokens, i)
  if (day > 0) return i + day
  const late = lately.at(tokens, i)
  if (late === 0) return 0
  const at = i + late + (isNumber(tokens[i + late]) ? 1 : 0)
  const unit = units.at(tokens, at)
  return unit > 0 ? at + unit : 0
}
