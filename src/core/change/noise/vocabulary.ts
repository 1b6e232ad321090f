import { readTokens, type Token } from './tokens.ts'

/** A set of phrases of one or more words that can be looked up in a text. */
export type Phrases = {
  /** Number of tokens of the longest phrase that begins here; 0 if there is none. */
  at(tokens: readonly Token[], i: number): number
}

/** One phrase per line, or several separated by commas. */
export function phrases(list: string): Phrases {
  const byFirst = new Map<string, string[][]>()
  for (const phrase of list.split(/[,\n]/)) {
    const words = readTokens(phrase).map(({ text }) => text)
    if (words.length === 0) continue
    const known = byFirst.get(words[0]!) ?? []
    known.push(words)
    byFirst.set(
      words[0]!,
      known.sort((a, b) => b.length - a.length),
    )
  }
  return {
    at(tokens, i) {
      const candidates = byFirst.get(tokens[i]?.text ?? '')
      const found = candidates?.find((words) => words.every((word, k) => tokens[i + k]?.text === word))
      return found?.length ?? 0
    },
  }
}

export const units = phrases(`
second, seconds, sec, secs, s, minute, minutes, min, mins, m, hour, hours, hr, hrs, h, day, days, d, week, weeks, wk, wks, w
month, months, mo, mos, year, years, yr, yrs, y
sekunde, sekunden, sek, minuten, std, stunde, stunden, tag, tage, tagen, woche, wochen, monat, monate, monaten, jahr, jahre, jahren
seconde, secondes, heure, heures, jour, jours, semaine, semaines, mois, an, ans, année, années
segundo, segundos, minuto, minutos, hora, horas, día, días, semana, semanas, mes, meses, año, años, dia, dias, mês, ano, anos
secondo, secondi, minuti, ora, ore, giorno, giorni, settimana, settimane, mese, mesi, anno, anni
seconden, minuut, uur, uren, dag, dagen, weken, maand, maanden, jaar, jaren
sekund, sekunder, minut, minuter, minutter, timme, timmar, time, timer, dagar, dage, dager, vecka, veckor, uge, uger, uke, uker
månad, månader, måned, måneder, år
sekuntia, minuuttia, minuutti, tunti, tuntia, päivä, päivää, viikko, viikkoa, kuukausi, kuukautta, vuosi, vuotta
секунд, секунду, секунды, сек, минут, минуту, минуты, мин, час, часа, часов, день, дня, дней, неделю, недели, недель, месяц
месяца, месяцев, год, года, лет, хвилин, хвилину, хвилини, годин, годину, години, днів, дні, тижні, тиждень, тижнів
sekundę, sekundy, minutę, minuty, godzinę, godziny, godzin, godz, dzień, dni, tydzień, tygodnie, tygodni, miesiąc, miesiące
miesięcy, rok, lata, lat
sekundami, minutou, minutami, hodinou, hodinami, dnem, dny, týdnem, týdny, měsícem, měsíci, rokem, roky, lety
saniye, dakika, dk, saat, gün, hafta, ay, yıl
secunde, minute, oră, zi, zile, săptămâni, săptămână, luni, lună, ani
δευτερόλεπτα, λεπτά, λεπτό, ώρα, ώρες, ημέρα, ημέρες, εβδομάδα, εβδομάδες, μήνες, μήνα, χρόνια
másodperc, perc, óra, nap, hét, hónap, év
giây, phút, giờ, ngày, tuần, tháng, năm, detik, menit, jam, hari, minggu, bulan, tahun
सेकंड, मिनट, घंटे, घंटा, दिन, सप्ताह, हफ्ते, महीने, साल
ثانية, ثوان, دقيقة, دقائق, ساعة, ساعات, يوم, أيام, يوما, أسبوع, أسابيع, شهر, أشهر, سنة, سنوات, دقیقه, ساعت, روز, هفته, ماه, سال
שניות, דקה, דקות, שעה, שעות, יום, ימים, שבוע, שבועות, חודש, חודשים
秒, 秒钟, 秒鐘, 秒間, 分, 分钟, 分鐘, 分間, 小时, 小時, 个小时, 個小時, 時間, 天, 日, 日間, 周, 週, 週間, 个星期, 星期, 个月, 個月
か月, ヶ月, カ月, 月, 年, 年間, 초, 분, 시간, 일, 주, 주일, 개월, 달, 년
วินาที, นาที, ชั่วโมง, วัน, สัปดาห์, เดือน, ปี
`)

/** Units of time that a machine took. */
export const secondUnits = phrases(`
second, seconds, sec, secs, s, ms, millisecond, milliseconds, msec, µs, us, sekunde, sekunden, sek, millisekunden, seconde, secondes, millisecondes
segundo, segundos, milisegundos, secondo, secondi, seconden, секунд, секунды, сек, с, мс, sekund, saniye, 秒, 毫秒, ミリ秒, 초
`)

/** Words for a number before a unit. */
export const someNumber = phrases(`
a, an, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, dozens of, hundreds of, thousands of, many, some, few, a few, several, couple, a couple of, couple of, half an
ein, eine, einer, einem, zwei, drei, vier, fünf, sechs, sieben, acht, neun, zehn, elf, zwölf, wenigen, einigen, un, une, deux, trois, quelques, una, uno, dos, tres, unos, pocos, um, uma
dois, poucos, alcuni, pochi, een, twee, enkele, en, ett, et, один, одну, несколько, kilka, jeden, bir, birkaç, एक, دو, 几, 数, 몇, 한
`)

export const approximately = phrases(`
about, around, over, almost, nearly, more than, less than, roughly, approximately, etwa, ca, circa, rund, über, fast, mehr als, weniger als
environ, plus de, moins de, près de, alrededor de, más de, menos de, unos, cerca de, mais de, quasi, oltre, più di, meno di, ongeveer, ruim
около, более, około, ponad, omkring, yaklaşık, 约, 約, 大约
`)

export const agoBefore = phrases(`
vor, il y a, hace, há, pred, před, pre, prije, πριν, πριν από, acum, преди, منذ, قبل, לפני
`)
/** Units that include "ago". */
export const agoUnits = phrases(`
másodperce, perce, órája, napja, hete, hónapja, éve, วินาทีที่แล้ว, นาทีที่แล้ว, ชั่วโมงที่แล้ว, วันที่แล้ว, สัปดาห์ที่แล้ว, เดือนที่แล้ว, ปีที่แล้ว, วินาทีที่ผ่านมา, นาทีที่ผ่านมา, ชั่วโมงที่ผ่านมา, วันที่ผ่านมา
`)
/** Labels before a running clock. */
export const clockLabels = phrases('now, clock, date, date and time, uhrzeit, jetzt, datum, 時刻, 时间')
export const agoAfter = phrases(`
ago, earlier, fa, atrás, geleden, sedan, siden, sitten, назад, тому, тому назад, temu, önce, trước, yang lalu, lalu, पहले, پیش, قبل
前, 以前, 之前, 전, ที่แล้ว, ที่ผ่านมา, önceki
`)

/** Days and moments relative to now. */
export const nowWords = phrases(`
hace un momento, hace un instante, hace unos instantes, il y a un instant, il y a quelques instants, vor einem moment, vor einem augenblick, un'ora fa, un’ora fa, poco fa, un momento fa, há pouco, há instantes, a moment ago, moments ago
just now, right now, recently, a moment ago, moments ago, a while ago, today, yesterday, the day before yesterday, last night, last week, last month
gerade eben, soeben, vor kurzem, heute, gestern, vorgestern, à l'instant, aujourd'hui, hier, avant-hier, ahora mismo, hoy, ayer, anteayer
proprio ora, oggi, ieri, agora mesmo, agora há pouco, hoje, ontem, zojuist, zonet, vandaag, gisteren, nyss, just nu, idag, i dag, igår, i går
tänään, eilen, juuri nyt, только что, сегодня, вчера, позавчера, сьогодні, вчора, przed chwilą, dzisiaj, dziś, wczoraj, dnes, včera
az önce, şimdi, bugün, dün, σήμερα, χθες, azi, astăzi, tegnap, hôm nay, hôm qua, vừa xong, hari ini, kemarin, baru saja, आज, कल
секунду назад, минуту назад, полчаса назад, час назад, день назад, неделю назад, месяц назад, полгода назад, год назад, хвилину тому, годину тому, день тому, тиждень тому, місяць тому, рік тому
minutę temu, godzinę temu, dzień temu, tydzień temu, miesiąc temu, rok temu, před chvílí, před minutou, před hodinou, před týdnem, před měsícem, před rokem
منذ لحظات, منذ دقيقة, منذ دقيقتين, منذ ساعة, منذ ساعتين, منذ يوم, منذ يومين, منذ أسبوع, منذ أسبوعين, منذ شهر, منذ شهرين, منذ سنة, منذ سنتين, قبل دقيقة, قبل دقيقتين, قبل ساعة, قبل ساعتين, قبل يوم, قبل يومين, قبل أسبوع, قبل شهر, قبل سنة
לפני רגע, לפני דקה, לפני שעה, לפני שעתיים, לפני יום, לפני יומיים, לפני שבוע, לפני שבועיים, לפני חודש, לפני חודשיים, לפני שנה, לפני שנתיים, अभी, 방금 전, 조금 전, さっき, 先ほど
اليوم, أمس, الآن, היום, אתמול, امروز, دیروز, 刚刚, 剛剛, 刚才, 今天, 昨天, 前天, たった今, 今日, 本日, 昨日, 방금, 오늘, 어제, วันนี้, เมื่อวาน
`)

export const months = phrases(`
january, february, march, april, may, june, july, august, september, october, november, december
jan, feb, mar, apr, jun, jul, aug, sep, sept, oct, nov, dec, jan., feb., mar., apr., jun., jul., aug., sep., sept., oct., nov., dec.
januar, jänner, februar, märz, mai, juni, juli, oktober, dezember, mrz, okt, dez, mrz., okt., dez.
janvier, février, mars, avril, juin, juillet, août, septembre, octobre, novembre, décembre, janv, févr, juil, déc, janv., févr., avr., juil., déc.
enero, febrero, marzo, abril, mayo, junio, julio, agosto, septiembre, setiembre, octubre, noviembre, diciembre, ene, abr, ago, dic
gennaio, febbraio, aprile, maggio, giugno, luglio, settembre, ottobre, dicembre, gen, mag, giu, lug, set, ott
janeiro, fevereiro, março, maio, junho, julho, setembro, outubro, novembro, dezembro, fev, mai, out, dez
januari, februari, maart, mei, augustus, augusti, desember, tammikuuta, helmikuuta, maaliskuuta, huhtikuuta, toukokuuta, kesäkuuta
heinäkuuta, elokuuta, syyskuuta, lokakuuta, marraskuuta, joulukuuta
января, февраля, марта, апреля, мая, июня, июля, августа, сентября, октября, ноября, декабря
січня, лютого, березня, квітня, травня, червня, липня, серпня, вересня, жовтня, листопада, грудня
stycznia, lutego, marca, kwietnia, maja, czerwca, lipca, sierpnia, września, października, listopada, grudnia
ledna, února, března, dubna, května, června, července, srpna, září, října, listopadu, prosince
ocak, şubat, mart, nisan, mayıs, haziran, temmuz, ağustos, eylül, ekim, kasım, aralık
ianuarie, februarie, martie, aprilie, iunie, iulie, septembrie, octombrie, noiembrie, decembrie
ιανουαρίου, φεβρουαρίου, μαρτίου, απριλίου, μαΐου, ιουνίου, ιουλίου, αυγούστου, σεπτεμβρίου, οκτωβρίου, νοεμβρίου, δεκεμβρίου
يناير, فبراير, مارس, أبريل, مايو, يونيو, يوليو, أغسطس, سبتمبر, أكتوبر, نوفمبر, ديسمبر
tháng, mei, agustus, जनवरी, फरवरी, मार्च, अप्रैल, मई, जून, जुलाई, अगस्त, सितंबर, अक्टूबर, नवंबर, दिसंबर
`)

export const weekdays = phrases(`
monday, tuesday, wednesday, thursday, friday, saturday, sunday, mon, tue, tues, wed, thu, thur, thurs, fri, sat, sun
montag, dienstag, mittwoch, donnerstag, freitag, samstag, sonnabend, sonntag, mo, di, mi, do, fr, sa, so
lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche, lunes, martes, miércoles, jueves, viernes, sábado, domingo
lunedì, martedì, mercoledì, giovedì, venerdì, sabato, domenica, segunda-feira, terça-feira, quarta-feira, quinta-feira, sexta-feira
maandag, dinsdag, woensdag, donderdag, vrijdag, zaterdag, zondag, måndag, tisdag, onsdag, torsdag, fredag, lördag, söndag, mandag, tirsdag, lørdag, søndag
понедельник, вторник, среда, четверг, пятница, суббота, воскресенье, poniedziałek, wtorek, środa, czwartek, piątek, sobota, niedziela
pazartesi, salı, çarşamba, perşembe, cuma, cumartesi, pazar, 星期一, 星期二, 星期三, 星期四, 星期五, 星期六, 星期日
月曜日, 火曜日, 水曜日, 木曜日, 金曜日, 土曜日, 日曜日, 월요일, 화요일, 수요일, 목요일, 금요일, 토요일, 일요일
`)

/** Words that may follow a time of day. */
export const zones = phrases(`
am, pm, a.m., p.m., uhr, h, hrs, utc, gmt, z, cet, cest, mez, mesz, bst, ist, est, edt, cst, cdt, mst, mdt, pst, pdt, et, ct, mt, pt, jst, kst, msk, aest, aedt, sast
local time, o'clock, ora, часов, мск
`)

/** Words between a label and its value. */
export const connectors = phrases(`
on, at, in, the, is, was, are, date, time, no, number, nr, id, value, am, um, vom, den, der, zum, ist, uhrzeit, datum
le, la, à, du, de, est, el, las, los, a las, del, il, alle, ore, em, às, as, op, om, den, kl, kl., klo, в, от, o, z, dnia, dne, v, în, la, στις, vào, lúc, pada, pukul
於, 于, は, の, が, に, 在, ：, に更新
`)

/** Weather conditions, beside a temperature. */
export const weather = phrases(`
sunny, mostly sunny, partly sunny, clear, mostly clear, clear sky, fair, cloudy, mostly cloudy, partly cloudy, clouds, few clouds, overcast, rain, light rain, heavy rain, rainy, showers, light showers, rain showers, drizzle, snow, light snow, heavy snow
snow showers, sleet, hail, fog, foggy, mist, misty, haze, hazy, windy, breezy, wind, storm, stormy, thunderstorm, thunderstorms, thunder, freezing rain, dry, humid, calm
sonnig, meist sonnig, heiter, wolkig, heiter bis wolkig, bewölkt, stark bewölkt, leicht bewölkt, bedeckt, klar, regen, leichter regen, regenschauer, schauer, nebel, neblig, schnee, schneeregen, schneeschauer, gewitter, windig, trocken
ensoleillé, nuageux, peu nuageux, couvert, pluie, averses, brouillard, neige, orage, orages, dégagé, soleado, nublado, parcialmente nublado, despejado, lluvia, niebla, nieve, tormenta, soleggiato, sereno, nuvoloso, coperto, pioggia, nebbia, neve, temporale
nublado, chuva, ensolarado, nevoeiro, zonnig, bewolkt, regen, mist, sneeuw, soligt, molnigt, regn, dimma, snö, ясно, облачно, пасмурно, дождь, туман, снег, гроза, słonecznie, pochmurno, deszcz, mgła, śnieg, burza, güneşli, bulutlu, yağmurlu, 晴, 多云, 阴, 雨, 雪, 雾, 曇り
`)
