/** Continent and European Union membership of each country code. */

/**
 * ISO 3166-1 codes, and XK, by continent.
 * Source: GeoNames country table, https://download.geonames.org/export/dump/countryInfo.txt
 * Last updated: 2026-11-21
 */
const countriesByContinent: Readonly<Record<string, string>> = {
  AF: `AC AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG ML MR MU MW MZ NA NE
       NG RE RW SC SD SH SL SN SO SS ST SZ TA TD TG TN TZ UG YT ZA ZM ZW`,
  AN: 'AQ BV GS HM TF',
  AS: `AE AF AM AZ BD BH BN BT CC CN CX GE HK ID IL IN IO IQ IR JO JP KG KH KP KR KW KZ LA LB LK MM MN MO MV MY NP OM PH
       PK PS QA RU SA SG SY TH TJ TM TR TW UZ VN YE`,
  EU: `AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME MK MT
       NL NO PL PT RO RS SE SI SJ SK SM UA VA XK`,
  NA: `AG AI AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX NI PA PM PR SV SX TC TT US
       VC VG VI`,
  OC: 'AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TL TO TV UM VU WF WS',
  SA: 'AR BO BR CL CO EC FK GF GY PE PY SR UY VE',
};

/**
 * Member states, and their territories with a separate code that belong to the Union (TFEU articles 349 and 355).
 * Source: https://european-union.europa.eu/principles-countries-history/eu-countries_en
 * Last updated: 2026-11-21
 */
const euCountries = new Set(
  'AT AX BE BG CY CZ DE DK EE ES FI FR GF GP GR HR HU IE IT LT LU LV MF MQ MT NL PL PT RE RO SE SI SK YT'.split(' '),
);

const names = new Intl.DisplayNames('en', { type: 'region' });

const countryOf = (code: string, continent: string) =>
  [code, { name: names.of(code) ?? code, continent, isEU: euCountries.has(code) }] as const;

/** By code. */
export const countries = new Map(
  Object.entries(countriesByContinent).flatMap(([continent, codes]) =>
    codes.split(/\s+/).map((code) => countryOf(code, continent)),
  ),
);
