/**
 * Patterns of crawler-user-agents and words for isbot that name browsers, apps and phones of people. Measured against browser traffic
 * (user-agents 2.1.198) and the browsers' own documented strings. Last updated: 2026-11-21.
 */

/** Patterns of crawler-user-agents that are not used. */
export const deniedPatterns: readonly string[] = [
  'AP3A\\.240617\\.008', // the stock Android 15 build of OPPO, realme, OnePlus and Infinix phones
  'Sogou', // Sogou's mobile browser; its spiders are in our table
  'Sonic',
  'Viber', // in-app browser
  'Butterfly', // an HTC phone
  'Fever',
  'Fluid',
  'Fetch\\/',
  'Expanse',
  '008\\/',
  'MetaIAB Facebook', // in-app browser
  'Trae\\/',
  'Code\\/1\\.',
  'TSM-turingos',
  'Bluesky\\/', // in-app browser; its previews are in our table
  'WhatsApp', // the desktop app; its previews are in our table
  // Apps and their browsers too; their bots are in our table.
  'Feedly',
  'Feedbin',
  'NewsBlur',
  'Mastodon',
  'Daum\\/',
  'Stripe\\/',
  'Tumblr\\/',
  'PayPal\\/',
  'Grammarly\\/',
  'Notion\\/',
];

/** Regular expressions of what isbot takes for a bot in the User-Agents of browsers. */
export const decoys: readonly string[] = [
  '\\b(?:cubot|xbot)\\b[\\w ]*',
  'Build/[^;)]*',
  'Google ?TV',
  'Google Earth[\\w/.]*',
  'Discovery',
  'Wii Shop Channel',
  'HTML/1\\.0;',
  'Catcher[\\w/.]*',
  'FirePHP/[\\d.]+',
  '\\w*News\\w*/[\\d.]+',
  'Sogou(?:Search|MSE|MiniMSE)\\w*',
  '\\b[0-9A-F]{32}\\b',
  // The fields of an extension.
  ' *\\|.*$',
  'Windows[- ]Server \\d{4}',
  'Valve Steam Gamepad/[\\d.]+',
  '(?:,gzip\\(gfe\\) )?\\(via translate\\.google\\.com\\)',
];

/**
 * Players, and programs for podcasts, feeds, mail and messages that people run, by how their User-Agents begin: they state neither a device nor
 * a browser, as bots do.
 */
export const personalApps =
  /^(?:AntennaPod|Podkicker|gPodder|Castro|Overcast|Downcast|Pocket ?Casts|Podbean|Castbox|BeyondPod|DoggCatcher|Audible|Audiobookshelf|Plex(?:MediaServer)?|Jellyfin|Emby|Infuse|Kodi|XBMC|iTunes|QuickTime|Winamp|foobar2000|Clementine|Strawberry|Rhythmbox|Amarok|Banshee|MediaMonkey|MusicBee|Thunderbird|Airmail|Postbox|The Bat!|eMClient|WindowsMail|MacOutlook|Transmission|qBittorrent|Deluge|Telegram(?!Bot)|Signal|Element|NetNewsWire|Newsboat|newsbeuter|Liferea|Akregator|RSSOwl|FeedDemon|RSS Guard|QuiteRSS|RssBandit|Fluent Reader|Unread|ReadKit|Reeder|NewsFlash|RSSRadio)(?![a-z])/i;
