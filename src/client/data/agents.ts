/** Crawlers, agents, previews, monitors, libraries and tools, by the names that operators document. Last updated: 2026-11-23. */
import type { Bot, BotKind } from '../kinds.ts';

/**
 * One operator and its tokens. A token is a whole word of the User-Agent, in any case; `^` and `$` bind it to the start and the end,
 * a final `*` allows any continuation of the word. `operator` is null for software that anyone may run.
 */
export type Operator = {
  readonly operator: string | null;
  readonly source: string | null;
  readonly tokens: Readonly<Partial<Record<BotKind, readonly string[]>>>;
  /** Lower-case words to exclude although a token of the row is a prefix of them. */
  readonly except?: RegExp;
};

/** From the operators' own pages if `source` is set. */
export const operators: readonly Operator[] = [
  {
    operator: null,
    source: 'https://github.com/modelcontextprotocol/servers/tree/main/src/fetch',
    tokens: {
      'ai-assistant': ['ModelContextProtocol', 'Open WebUI', 'LibreChat', '^aider'],
    },
  },
  {
    operator: 'Assetnote',
    source: 'https://www.assetnote.io',
    tokens: { bot: ['AssetNote'] },
  },
  {
    operator: 'OpenAI',
    source: 'https://platform.openai.com/docs/bots',
    tokens: {
      'ai-crawler': ['GPTBot', 'OAI-SearchBot', 'OAI-AdsBot'],
      'ai-assistant': ['ChatGPT-User', 'ChatGPT Agent', 'openai-mcp', '^codex/', 'codex_*', 'codex-cli', 'codex-tui'],
      'http-library': ['^OpenAI/'],
    },
  },
  {
    operator: 'Anthropic',
    source: 'https://support.claude.com/en/articles/8896518',
    tokens: {
      'ai-crawler': ['ClaudeBot', 'Claude-SearchBot', 'Claude-Web', 'anthropic-ai'],
      'ai-assistant': ['Claude-User', 'claude-code', 'claude-cli'],
      'http-library': ['^Anthropic/'],
    },
  },
  {
    operator: 'Perplexity',
    source: 'https://docs.perplexity.ai/guides/bots',
    tokens: {
      'ai-crawler': ['PerplexityBot'],
      'ai-assistant': ['Perplexity-User', 'PerplexityUser'],
    },
  },
  {
    operator: 'Google',
    source: 'https://developers.google.com/search/docs/crawling-indexing/google-common-crawlers',
    tokens: {
      'ai-crawler': [
        'GoogleOther',
        'GoogleOther-Image',
        'GoogleOther-Video',
        'Google-CloudVertexBot',
        'CloudVertexBot',
        'Google-Extended',
      ],
      'search-crawler': [
        'Googlebot',
        'Googlebot-Image',
        'Googlebot-Video',
        'Googlebot-News',
        'Storebot-Google',
        'Google-InspectionTool',
      ],
    },
  },
  {
    operator: 'Google',
    source: 'https://developers.google.com/search/docs/crawling-indexing/google-user-triggered-fetchers',
    tokens: {
      'ai-assistant': [
        'Google-NotebookLM',
        'NotebookLM',
        'Google-GeminiNotebook',
        'Google-Agent',
        'GoogleAgent-*',
        'Gemini-Deep-Research',
        'Google-Pinpoint',
        'GeminiCLI',
        'Google-Gemini-CLI',
      ],
      bot: ['FeedFetcher-Google', 'GoogleProducer', 'Google-CWS', 'Google-Read-Aloud', 'Google-Site-Verification'],
      'social-preview': ['GoogleImageProxy', 'Google-PageRenderer', 'GoogleMessages', 'Google Web Preview'],
    },
  },
  {
    operator: 'Google',
    source: 'https://developers.google.com/search/docs/crawling-indexing/google-special-case-crawlers',
    tokens: {
      bot: [
        'AdsBot-Google',
        'AdsBot-Google-Mobile',
        'Mediapartners-Google',
        'APIs-Google',
        'Google-Safety',
        'DuplexWeb-Google',
        'Google-Lens',
        'Google-Firebase*',
        'Google-Ads-*',
      ],
    },
  },
  {
    operator: 'Google',
    source: 'https://cloud.google.com/monitoring/uptime-checks',
    tokens: {
      monitoring: [
        'GoogleStackdriverMonitoring-UptimeChecks',
        'GoogleHC',
        'Chrome-Lighthouse',
        'Google Page Speed Insights',
      ],
    },
  },
  {
    operator: 'Meta',
    source: 'https://developers.facebook.com/docs/sharing/webmasters/web-crawlers',
    tokens: {
      'ai-crawler': ['meta-externalagent', 'meta-webindexer', 'FacebookBot'],
      'ai-assistant': ['meta-externalfetcher'],
      bot: ['meta-external*'],
      'social-preview': ['facebookexternalhit', 'facebookcatalog', 'Facebot', '^WhatsApp'],
    },
  },
  {
    operator: 'Amazon',
    source: 'https://developer.amazon.com/amazonbot',
    tokens: {
      'ai-crawler': ['Amazonbot', 'Amzn-SearchBot', 'bedrockbot', 'amazon-QBusiness', 'amazon-kendra'],
      'ai-assistant': ['Amzn-User', 'NovaAct', 'AmazonBuyForMe', 'Amazon-Bedrock-AgentCore-Browser'],
      monitoring: ['ELB-HealthChecker', 'Amazon-Route53-Health-Check-Service'],
      'http-library': ['Amazon CloudFront', '^Boto3/', 'aws-sdk-*'],
      cli: ['aws-cli'],
    },
  },
  {
    operator: 'ByteDance',
    source: null,
    tokens: {
      'ai-crawler': ['Bytespider', 'TikTokSpider'],
      'search-crawler': ['ToutiaoSpider'],
    },
  },
  {
    operator: 'Common Crawl',
    source: 'https://commoncrawl.org/ccbot',
    tokens: {
      'ai-crawler': ['CCBot'],
    },
  },
  {
    operator: 'Mistral AI',
    source: 'https://docs.mistral.ai/robots',
    tokens: {
      'ai-crawler': ['MistralAI-Index', 'MistralAI-Training'],
      'ai-assistant': ['MistralAI-User'],
    },
  },
  {
    operator: 'Cohere',
    source: null,
    tokens: {
      'ai-crawler': ['cohere-training-data-crawler', 'cohere-ai'],
    },
  },
  {
    operator: 'DeepSeek',
    source: null,
    tokens: {
      'ai-crawler': ['DeepSeekBot'],
    },
  },
  {
    operator: 'Moonshot AI',
    source: null,
    tokens: {
      'ai-crawler': ['KimiBot', 'Kimi-SearchBot'],
      'ai-assistant': ['Kimi-User'],
    },
  },
  {
    operator: 'xAI',
    source: null,
    tokens: {
      'ai-crawler': ['xAI-Bot', 'xAI-Grok', 'Grok', 'GrokBot', 'Grok-DeepSearch'],
    },
  },
  {
    operator: 'You.com',
    source: 'https://about.you.com/youbot/',
    tokens: {
      'ai-crawler': ['YouBot'],
    },
  },
  {
    operator: 'Diffbot',
    source: 'https://docs.diffbot.com/docs/why-is-my-crawl-not-crawling-and-other-uncommon-crawl-problems',
    tokens: {
      'ai-crawler': ['Diffbot'],
    },
  },
  {
    operator: 'Ai2',
    source: 'https://allenai.org/crawler',
    tokens: {
      'ai-crawler': ['AI2Bot', 'Ai2Bot-Dolma'],
      'ai-assistant': ['Ai2Bot-DeepResearchEval'],
    },
  },
  {
    operator: 'Webz.io',
    source: 'https://webz.io/bot.html',
    tokens: {
      'ai-crawler': ['omgili', 'omgilibot', 'webzio', 'Webzio-Extended'],
    },
  },
  {
    operator: 'Timpi',
    source: 'https://timpi.io',
    tokens: {
      'ai-crawler': ['Timpibot'],
    },
  },
  {
    operator: 'Hive',
    source: 'https://imagesift.com/about',
    tokens: {
      'ai-crawler': ['ImagesiftBot'],
    },
  },
  {
    operator: 'Firecrawl',
    source: 'https://firecrawl.dev',
    tokens: {
      'ai-crawler': ['FirecrawlAgent'],
    },
  },
  {
    operator: 'Tavily',
    source: 'https://tavily.com',
    tokens: {
      'ai-crawler': ['TavilyBot'],
    },
  },
  {
    operator: 'Linkup',
    source: 'https://linkup.so/bot',
    tokens: {
      'ai-crawler': ['LinkupBot'],
    },
  },
  {
    operator: 'Huawei',
    source: null,
    tokens: {
      'ai-crawler': ['PanguBot'],
      'search-crawler': ['PetalBot', 'AspiegelBot'],
    },
  },
  {
    operator: 'Zhipu AI',
    source: null,
    tokens: {
      'ai-crawler': ['ChatGLM-Spider'],
    },
  },
  {
    operator: 'SB Intuitions',
    source: 'https://www.sbintuitions.co.jp/bot/',
    tokens: {
      'ai-crawler': ['SBIntuitionsBot'],
    },
  },
  {
    operator: 'Parallel',
    source: 'https://docs.parallel.ai/resources/crawler',
    tokens: {
      'ai-crawler': ['ShapBot'],
      'ai-assistant': ['Shap-User'],
    },
  },
  {
    operator: 'Bright Data',
    source: 'https://brightdata.com/brightbot',
    tokens: {
      'ai-crawler': ['Brightbot'],
    },
  },
  {
    operator: 'Cloudflare',
    source: 'https://developers.cloudflare.com/fundamentals/reference/cloudflare-site-crawling/',
    tokens: {
      'ai-crawler': ['Cloudflare-AutoRAG'],
      monitoring: [
        'Cloudflare-Healthchecks',
        'Cloudflare-Traffic-Manager',
        'CloudFlare-AlwaysOnline',
        'CloudflareObservatory',
        'Cloudflare-SpeedTest',
        'Cloudflare-Validator',
        'cloudflare-csup',
      ],
      bot: [
        'CloudFlare-Prefetch',
        'Cloudflare-SSLDetector',
        'Cloudflare-Custom-Hostname-Verification',
        'Cloudflare-Custom-Error-Page-Crawler',
        'Cloudflare-Stream-Webhook',
        'Cloudflare-Stream-Hook',
        'Cloudflare-Radar-Scanner',
        'CloudflareRadarURLScanner',
        'CloudflareBrowserRenderingCrawler',
      ],
    },
  },
  {
    operator: 'Splunk',
    source: 'https://help.splunk.com/splunk-observability-cloud/monitor-end-user-experience/synthetic-monitoring',
    tokens: { monitoring: ['splunk-synthetics', 'Splunk Synthetics'] },
  },
  {
    operator: 'DuckDuckGo',
    source: 'https://duckduckgo.com/duckduckgo-help-pages/results/duckduckbot',
    tokens: {
      'ai-assistant': ['DuckAssistBot'],
      'search-crawler': ['DuckDuckBot', 'DuckDuckGo-Favicons-Bot'],
    },
  },
  {
    operator: 'Manus',
    source: null,
    tokens: {
      'ai-assistant': ['Manus-User'],
    },
  },
  {
    operator: 'Cognition',
    source: 'https://docs.devin.ai',
    tokens: {
      'ai-assistant': ['Devin'],
    },
  },
  {
    operator: 'GitHub',
    source: 'https://docs.github.com/copilot',
    tokens: {
      'ai-assistant': ['GithubCopilot', 'GitHubCopilotChat'],
      'social-preview': ['github-camo'],
      bot: ['GitHub-Hookshot'],
    },
  },
  {
    operator: 'Anysphere',
    source: 'https://cursor.com',
    tokens: {
      'ai-assistant': ['^Cursor/'],
    },
  },
  {
    operator: 'SST',
    source: 'https://opencode.ai',
    tokens: {
      'ai-assistant': ['opencode', 'opencode-smartfetch'],
    },
  },
  {
    operator: 'Kagi',
    source: 'https://kagi.com/bot',
    tokens: {
      'ai-assistant': ['kagi-fetcher'],
      'search-crawler': ['Kagibot'],
    },
  },
  {
    operator: 'Liner',
    source: 'https://docs.getliner.com/docs/linerbot',
    tokens: {
      'ai-assistant': ['LinerBot'],
    },
  },
  {
    operator: 'Phind',
    source: null,
    tokens: {
      'ai-crawler': ['PhindBot'],
    },
  },
  {
    operator: 'Anchor',
    source: null,
    tokens: {
      'ai-assistant': ['Anchor Browser'],
    },
  },
  {
    operator: 'Twin',
    source: null,
    tokens: {
      'ai-assistant': ['TwinAgent'],
    },
  },
  {
    operator: 'Apify',
    source: 'https://apify.com/apify/website-content-crawler',
    tokens: {
      'ai-crawler': ['ApifyBot', 'ApifyWebsiteContentCrawler'],
    },
  },
  {
    operator: 'Atlassian',
    source: 'https://support.atlassian.com/organization-administration/docs/connect-custom-website-to-rovo/',
    tokens: {
      'ai-crawler': ['atlassian-bot'],
    },
  },
  {
    operator: 'LAION',
    source: 'https://laion.ai',
    tokens: {
      'ai-crawler': ['laion-huggingface-processor', 'img2dataset', 'LAIONDownloader'],
    },
  },
  {
    operator: 'Exa',
    source: 'https://exa.ai',
    tokens: {
      'ai-crawler': ['ExaSearchBot'],
    },
  },
  {
    operator: 'Querit',
    source: null,
    tokens: {
      'ai-crawler': ['QueritBot'],
    },
  },
  {
    operator: 'Mozilla',
    source: 'https://tabstack.ai',
    tokens: {
      'ai-assistant': ['Mozilla-Tabstack'],
    },
  },
  {
    operator: 'NICT',
    source: 'https://nict.go.jp',
    tokens: {
      'ai-crawler': ['ICC-Crawler'],
    },
  },
  {
    operator: 'ROIS',
    source: 'https://ds.rois.ac.jp/en_center8/en_crawler/',
    tokens: {
      'ai-crawler': ['Cotoyogi'],
    },
  },
  {
    operator: 'Klaviyo',
    source: 'https://help.klaviyo.com/hc/en-us/articles/40496146232219',
    tokens: {
      'ai-crawler': ['KlaviyoAIBot'],
    },
  },
  {
    operator: 'Andi',
    source: 'https://andisearch.com',
    tokens: {
      'ai-crawler': ['Andibot'],
    },
  },
  {
    operator: 'BuddyBotLearning',
    source: 'https://www.buddybotlearning.com',
    tokens: {
      'ai-crawler': ['BuddyBot'],
    },
  },
  {
    operator: 'iAsk',
    source: 'https://iask.ai',
    tokens: {
      'ai-crawler': ['iaskspider'],
    },
  },
  {
    operator: 'The Agent Times',
    source: 'https://theagenttimes.com/about',
    tokens: {
      'ai-crawler': ['AgentTimes'],
    },
  },
  {
    operator: 'Direqt',
    source: 'https://direqt.ai',
    tokens: {
      'ai-crawler': ['Anomura'],
    },
  },
  {
    operator: 'Aranet',
    source: null,
    tokens: {
      'ai-crawler': ['Aranet-SearchBot'],
    },
  },
  {
    operator: 'Big Sur AI',
    source: null,
    tokens: {
      'ai-assistant': ['bigsur.ai'],
    },
  },
  {
    operator: 'Channel3',
    source: null,
    tokens: {
      'ai-crawler': ['Channel3Bot'],
    },
  },
  {
    operator: 'Crawlspace',
    source: 'https://crawlspace.dev',
    tokens: {
      'ai-crawler': ['Crawlspace'],
    },
  },
  {
    operator: 'Datenbank',
    source: null,
    tokens: {
      'ai-crawler': ['Datenbank Crawler', 'Datenbank-Crawler'],
    },
  },
  {
    operator: 'Echobox',
    source: 'https://echobox.com',
    tokens: {
      'ai-crawler': ['EchoboxBot', 'Echobot Bot'],
    },
  },
  {
    operator: 'FactSet',
    source: 'https://www.factset.com/ai',
    tokens: {
      'ai-crawler': ['Factset_spyderbot'],
    },
  },
  {
    operator: 'ISS-Corporate',
    source: 'https://iss-cyber.com',
    tokens: {
      'ai-crawler': ['ISSCyberRiskCrawler'],
    },
  },
  {
    operator: 'Kunato',
    source: null,
    tokens: {
      'ai-crawler': ['KunatoCrawler'],
    },
  },
  {
    operator: 'Naget',
    source: 'https://naget.com',
    tokens: {
      'ai-crawler': ['NagetBot'],
    },
  },
  {
    operator: 'netEstate',
    source: null,
    tokens: {
      'ai-crawler': ['netEstate Imprint Crawler'],
    },
  },
  {
    operator: 'Panscient',
    source: 'https://panscient.com/faq.htm',
    tokens: {
      'ai-crawler': ['Panscient', 'panscient.com'],
    },
  },
  {
    operator: 'Poggio',
    source: null,
    tokens: {
      'ai-assistant': ['Poggio-Citations'],
    },
  },
  {
    operator: 'Poseidon Research',
    source: 'https://www.poseidonresearch.com',
    tokens: {
      'ai-crawler': ['Poseidon Research Crawler'],
    },
  },
  {
    operator: 'Qualified',
    source: 'https://www.qualified.com',
    tokens: {
      'ai-crawler': ['QualifiedBot'],
    },
  },
  {
    operator: 'QuillBot',
    source: 'https://quillbot.com',
    tokens: {
      'ai-crawler': ['QuillBot', 'quillbot.com'],
    },
  },
  {
    operator: 'Sidetrade',
    source: 'https://www.sidetrade.com',
    tokens: {
      'ai-crawler': ['Sidetrade indexer bot'],
    },
  },
  {
    operator: 'Ceramic AI',
    source: 'https://github.com/CeramicTeam/CeramicTerracotta',
    tokens: {
      'ai-crawler': ['TerraCotta', 'Terra Cotta'],
    },
  },
  {
    operator: 'Thinkbot',
    source: 'https://www.thinkbot.agency',
    tokens: {
      'ai-crawler': ['Thinkbot'],
    },
  },
  {
    operator: 'Velen',
    source: 'https://velen.io',
    tokens: {
      'ai-crawler': ['VelenPublicWebCrawler'],
    },
  },
  {
    operator: 'WEBSPARK',
    source: null,
    tokens: {
      'ai-crawler': ['WARDBot'],
    },
  },
  {
    operator: 'QuantumCloud',
    source: 'https://www.quantumcloud.com',
    tokens: {
      'ai-assistant': ['wpbot'],
    },
  },
  {
    operator: 'Wrtn',
    source: null,
    tokens: {
      'ai-crawler': ['WRTNBot'],
    },
  },
  {
    operator: 'Meltwater',
    source: 'https://www.meltwater.com/en/suite/consumer-intelligence',
    tokens: {
      'ai-crawler': ['YaK'],
    },
  },
  {
    operator: 'Zanista',
    source: null,
    tokens: {
      'ai-crawler': ['ZanistaBot'],
    },
  },
  {
    operator: 'AddSearch',
    source: 'https://www.addsearch.com',
    tokens: {
      'ai-crawler': ['AddSearchBot'],
    },
  },
  {
    operator: 'aiHit',
    source: 'https://www.aihitdata.com/about',
    tokens: {
      'ai-crawler': ['aiHitBot'],
    },
  },
  {
    operator: 'Ibou',
    source: null,
    tokens: {
      'search-crawler': ['IbouBot'],
    },
  },
  {
    operator: 'Awario',
    source: null,
    tokens: {
      bot: ['Awario', 'AwarioBot', 'AwarioSmartBot', 'AwarioRssBot', 'AwarioRendererBot'],
    },
  },
  {
    operator: 'Leipzig University',
    source: 'https://corpora.informatik.uni-leipzig.de/crawler_faq.html',
    tokens: {
      'ai-crawler': ['^LCC'],
    },
  },
  {
    operator: 'Linguee',
    source: 'https://www.linguee.com',
    tokens: {
      'ai-crawler': ['Linguee Bot'],
    },
  },
  {
    operator: 'Moonshot AI',
    source: null,
    tokens: {
      'ai-assistant': ['KimiCLI'],
    },
  },
  {
    operator: 'Kilo Code',
    source: 'https://kilocode.ai',
    tokens: {
      'ai-assistant': ['Kilo-Code'],
    },
  },
  {
    operator: 'Roo Code',
    source: 'https://roocode.com',
    tokens: {
      'ai-assistant': ['RooCode'],
    },
  },
  {
    operator: 'Cline',
    source: 'https://cline.bot',
    tokens: {
      'ai-assistant': ['^Cline/'],
    },
  },
  {
    operator: 'Windsurf',
    source: 'https://windsurf.com',
    tokens: {
      'ai-assistant': ['^Windsurf/'],
    },
  },
  {
    operator: 'Zed Industries',
    source: 'https://zed.dev',
    tokens: {
      'ai-assistant': ['^Zed/'],
    },
  },
  {
    operator: 'Block',
    source: 'https://github.com/block/goose',
    tokens: {
      'ai-assistant': ['^Goose/'],
    },
  },
  {
    operator: 'Crawl4AI',
    source: 'https://github.com/unclecode/crawl4ai',
    tokens: {
      'ai-crawler': ['crawl4ai'],
    },
  },
  {
    operator: 'Kangaroo LLM',
    source: 'https://kangaroollm.com.au/kangaroo-bot/',
    tokens: {
      'ai-crawler': ['Kangaroo Bot'],
    },
  },
  {
    operator: 'Valyu',
    source: 'https://valyu.ai/crawler',
    tokens: {
      'ai-crawler': ['HenkBot'],
    },
  },
  {
    operator: 'iAsk',
    source: 'https://iask.ai',
    tokens: {
      'ai-crawler': ['iAskBot'],
    },
  },
  {
    operator: 'Microsoft',
    source: 'https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0',
    tokens: {
      'ai-crawler': ['AzureAI-SearchBot'],
      'search-crawler': ['bingbot', 'msnbot', 'adidxbot'],
      'social-preview': ['BingPreview', 'MicrosoftPreview', 'SkypeUriPreview'],
      monitoring: ['AppInsights', 'Edge Health Probe', 'Azure Traffic Manager Endpoint Monitor'],
      cli: ['PowerShell', 'WindowsPowerShell'],
      'http-library': [
        'Microsoft-Delivery-Optimization',
        'Windows-Update-Agent',
        'Microsoft-CryptoAPI',
        'Microsoft NCSI',
        'Microsoft BITS',
        'WinHttp*',
        'azsdk-*',
      ],
    },
  },
  {
    operator: 'Yandex',
    source: 'https://yandex.com/support/webmaster/robot-workings/check-yandex-robots.html',
    tokens: {
      'search-crawler': ['Yandex*'],
      bot: ['YandexMarket*', 'YandexDirect*', 'YandexAdNet', 'YandexMetrika', 'YaDirectFetcher'],
      'ai-crawler': ['YandexAdditional*'],
    },
    // Apps and browsers of people.
    except:
      /^yandex(?:$|[^a-z]|search|browser|mobile(?!bot)|maps|navi|keyboard|disk|mail|music|taxi|zen|app|tv|station|eda|money|pay|plus)/,
  },
  {
    operator: 'Baidu',
    source: 'https://help.baidu.com/question?prod_id=99&class=0&id=3001',
    tokens: {
      'ai-crawler': ['YiyanBot'],
      'search-crawler': ['Baiduspider', 'Baiduspider-render'],
      monitoring: ['Baidu-YunGuanCe'],
    },
  },
  {
    operator: 'Sogou',
    source: 'http://www.sogou.com/docs/help/webmasters.htm',
    tokens: {
      'search-crawler': ['Sogou web spider', 'Sogou Pic Spider', 'Sogou News Spider', 'Sogou inst spider'],
    },
  },
  {
    operator: 'Qihoo 360',
    source: null,
    tokens: {
      'search-crawler': ['360Spider', 'HaoSouSpider'],
    },
  },
  {
    operator: 'Alibaba',
    source: null,
    tokens: {
      'ai-assistant': ['QwenCode'],
      'ai-crawler': ['TongyiBot'],
      'search-crawler': ['YisouSpider'],
    },
  },
  {
    operator: 'Naver',
    source: 'https://searchadvisor.naver.com/guide/seo-basic-firewall',
    tokens: {
      'search-crawler': ['Yeti/', 'NaverBot'],
    },
  },
  {
    operator: 'Kakao',
    source: 'https://cs.daum.net/faq/15/4118.html',
    tokens: {
      'search-crawler': ['compatible; Daum/', 'Daumoa'],
      // https://devtalk.kakao.com/t/scrap/33984
      'social-preview': ['facebookexternalhit/1.1; kakaotalk-scrap', 'facebookexternalhit/1.1;kakaotalk-scrap'],
    },
  },
  {
    operator: 'Seznam',
    source: 'https://o-seznam.cz/napoveda/vyhledavani/en/seznambot-crawler/',
    tokens: {
      'search-crawler': ['SeznamBot', 'SeznamHomepageCrawler'],
    },
  },
  {
    operator: 'Qwant',
    source: 'https://help.qwant.com/bot/',
    tokens: {
      'search-crawler': ['Qwantify', 'Qwantbot'],
    },
  },
  {
    operator: 'Brave',
    source: 'https://search.brave.com/help/brave-search-crawler',
    tokens: {
      'search-crawler': ['BraveBot'],
    },
  },
  {
    operator: 'Mojeek',
    source: 'https://www.mojeek.com/bot.html',
    tokens: {
      'search-crawler': ['MojeekBot'],
    },
  },
  {
    operator: 'Apple',
    source: 'https://support.apple.com/en-us/119829',
    tokens: {
      'search-crawler': ['Applebot'],
      'ai-crawler': ['Applebot-Extended'],
      bot: ['iTMS'],
      // Messages; only the fixed User-Agent tells it from Facebook and X.
      'social-preview': ['facebookexternalhit/1.1 Facebot Twitterbot'],
      'http-library': ['CFNetwork', 'AppleCoreMedia'],
    },
  },
  {
    operator: 'Yahoo',
    source: 'https://help.yahoo.com/kb/SLN22600.html',
    tokens: {
      'search-crawler': ['Slurp'],
      'social-preview': ['YahooMailProxy', 'Yahoo Link Preview'],
    },
  },
  {
    operator: 'Cốc Cốc',
    source: 'https://help.coccoc.com/searchengine',
    tokens: {
      'search-crawler': ['coccocbot-web', 'coccocbot-image'],
    },
  },
  {
    operator: 'VK',
    source: 'https://help.mail.ru/webmaster/indexing/robots',
    tokens: {
      'search-crawler': ['Mail.RU_Bot'],
      'social-preview': ['vkShare', 'OdklBot'],
    },
  },
  {
    operator: 'Seekport',
    source: 'https://bot.seekport.com',
    tokens: {
      'search-crawler': ['SeekportBot'],
    },
  },
  {
    operator: 'Marginalia',
    source: 'https://www.marginalia.nu/marginalia-search/for-webmasters/',
    tokens: {
      'search-crawler': ['search.marginalia.nu'],
    },
  },
  {
    operator: 'Swisscows',
    source: null,
    tokens: {
      'search-crawler': ['Swisscows'],
    },
  },
  {
    operator: 'Dassault Systèmes',
    source: null,
    tokens: {
      'search-crawler': ['Exabot'],
    },
  },
  {
    operator: 'X',
    source: 'https://developer.x.com/en/docs/x-for-websites/cards/guides/getting-started',
    tokens: {
      'social-preview': ['Twitterbot'],
    },
  },
  {
    operator: 'Slack',
    source: 'https://api.slack.com/robots',
    tokens: {
      'social-preview': ['Slackbot-LinkExpanding', 'Slackbot', 'Slack-ImgProxy'],
    },
  },
  {
    operator: 'Discord',
    source: null,
    tokens: {
      'social-preview': ['Discordbot'],
    },
  },
  {
    operator: 'Telegram',
    source: null,
    tokens: {
      'social-preview': ['TelegramBot'],
    },
  },
  {
    operator: 'LinkedIn',
    source: 'https://www.linkedin.com/robots.txt',
    tokens: {
      'social-preview': ['LinkedInBot'],
    },
  },
  {
    operator: 'Mastodon',
    source: 'https://docs.joinmastodon.org',
    tokens: {
      'social-preview': ['^Mastodon', '(Mastodon/'],
    },
  },
  {
    operator: 'Bluesky',
    source: 'https://bsky.social',
    tokens: {
      'social-preview': ['Bluesky Cardyb', '^Bluesky/'],
    },
  },
  {
    operator: 'Reddit',
    source: 'https://www.reddit.com',
    tokens: {
      'social-preview': ['redditbot'],
    },
  },
  {
    operator: 'Pinterest',
    source: 'https://help.pinterest.com/en/business/article/pinterestbot',
    tokens: {
      'social-preview': ['Pinterestbot'],
    },
  },
  {
    operator: 'Snap',
    source: 'https://developers.snap.com/robots',
    tokens: {
      'social-preview': ['Snap URL Preview Service'],
    },
  },
  {
    operator: 'LINE',
    source: null,
    tokens: {
      'social-preview': ['Linespider', 'facebookexternalhit/1.1;line-poker'],
    },
  },
  {
    operator: 'Viber',
    source: null,
    tokens: {
      'social-preview': ['^Viber$'],
    },
  },
  {
    operator: 'Iframely',
    source: 'https://iframely.com/docs/about',
    tokens: {
      'social-preview': ['Iframely'],
    },
  },
  {
    operator: 'Embedly',
    source: null,
    tokens: {
      'social-preview': ['Embedly'],
    },
  },
  {
    operator: 'Flipboard',
    source: 'https://about.flipboard.com/browserproxy/',
    tokens: {
      'social-preview': ['FlipboardProxy'],
    },
  },
  {
    operator: 'Mattermost',
    source: null,
    tokens: {
      'social-preview': ['Mattermost-Bot'],
    },
  },
  {
    operator: 'Element',
    source: null,
    tokens: {
      'social-preview': ['Synapse'],
    },
  },
  {
    operator: 'Discourse',
    source: 'https://meta.discourse.org',
    tokens: {
      'social-preview': ['Discourse Forum Onebox'],
    },
  },
  {
    operator: 'Quora',
    source: null,
    tokens: {
      'social-preview': ['Quora-Bot'],
    },
  },
  {
    operator: 'Tumblr',
    source: null,
    tokens: {
      'social-preview': ['^Tumblr/'],
    },
  },
  {
    operator: 'Friendica',
    source: 'https://friendi.ca',
    tokens: {
      'social-preview': ['Friendica'],
    },
  },
  {
    operator: 'UptimeRobot',
    source: 'https://uptimerobot.com/help/locations/',
    tokens: {
      monitoring: ['UptimeRobot'],
    },
  },
  {
    operator: 'SolarWinds',
    source: 'https://www.pingdom.com',
    tokens: {
      monitoring: ['Pingdom.com_bot_version', 'PingdomPageSpeed', 'PingdomTMS'],
    },
  },
  {
    operator: 'Datadog',
    source: 'https://docs.datadoghq.com/synthetics/',
    tokens: {
      monitoring: ['DatadogSynthetics', 'Datadog/Synthetics', 'Datadog Agent'],
    },
  },
  {
    operator: 'Better Stack',
    source: 'https://betterstack.com/docs/uptime/frequently-asked-questions/',
    tokens: {
      monitoring: ['Better Uptime Bot'],
    },
  },
  {
    operator: 'StatusCake',
    source: 'https://www.statuscake.com',
    tokens: {
      monitoring: ['StatusCake'],
    },
  },
  {
    operator: 'Site24x7',
    source: 'https://www.site24x7.com',
    tokens: {
      monitoring: ['Site24x7'],
    },
  },
  {
    operator: 'Kubernetes',
    source: 'https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/',
    tokens: {
      monitoring: ['kube-probe'],
      cli: ['^kubectl/'],
    },
  },
  {
    operator: 'Prometheus',
    source: 'https://prometheus.io',
    tokens: {
      monitoring: ['^Prometheus/', 'Blackbox Exporter', 'Blackbox-Exporter'],
    },
  },
  {
    operator: 'Zabbix',
    source: 'https://www.zabbix.com',
    tokens: {
      monitoring: ['Zabbix'],
    },
  },
  {
    operator: 'Nagios',
    source: 'https://www.monitoring-plugins.org',
    tokens: {
      monitoring: ['check_http'],
    },
  },
  {
    operator: 'New Relic',
    source: 'https://docs.newrelic.com/docs/synthetics/',
    tokens: {
      monitoring: ['NewRelicSynthetics', 'NewRelicPinger'],
    },
  },
  {
    operator: 'Checkly',
    source: 'https://www.checklyhq.com/docs/',
    tokens: {
      monitoring: ['Checkly'],
    },
  },
  {
    operator: 'HetrixTools',
    source: 'https://hetrixtools.com',
    tokens: {
      monitoring: ['HetrixTools'],
    },
  },
  {
    operator: 'Uptime Kuma',
    source: 'https://github.com/louislam/uptime-kuma',
    tokens: {
      monitoring: ['Uptime-Kuma'],
    },
  },
  {
    operator: 'Catchpoint',
    source: 'https://docs.webpagetest.org',
    tokens: {
      monitoring: ['PTST', 'Catchpoint'],
    },
  },
  {
    operator: 'GTmetrix',
    source: 'https://gtmetrix.com',
    tokens: {
      monitoring: ['GTmetrix'],
    },
  },
  {
    operator: 'Cisco',
    source: 'https://www.thousandeyes.com',
    tokens: {
      monitoring: ['ThousandEyes'],
    },
  },
  {
    operator: 'Dynatrace',
    source: 'https://docs.dynatrace.com',
    tokens: {
      monitoring: ['RuxitSynthetic'],
    },
  },
  {
    operator: 'HashiCorp',
    source: 'https://developer.hashicorp.com/consul',
    tokens: {
      monitoring: ['Consul Health Check'],
      cli: ['Terraform/'],
    },
  },
  {
    operator: 'Envoy',
    source: 'https://www.envoyproxy.io',
    tokens: {
      monitoring: ['Envoy/HC'],
    },
  },
  {
    operator: 'Oh Dear',
    source: 'https://ohdear.app',
    tokens: {
      monitoring: ['OhDear'],
    },
  },
  {
    operator: 'NodePing',
    source: 'https://nodeping.com',
    tokens: {
      monitoring: ['NodePing'],
    },
  },
  {
    operator: 'updown.io',
    source: 'https://updown.io',
    tokens: {
      monitoring: ['updown.io'],
    },
  },
  {
    operator: 'Sentry',
    source: 'https://docs.sentry.io/product/uptime-monitoring/',
    tokens: {
      monitoring: ['SentryUptimeBot'],
    },
  },
  {
    operator: 'Freshworks',
    source: null,
    tokens: {
      monitoring: ['FreshpingBot'],
    },
  },
  {
    operator: null,
    source: 'https://developer.chrome.com/docs/chromium/headless',
    tokens: {
      'headless-browser': [
        'SlimerJS',
        'Selenium',
        'jsdom',
        'HappyDOM',
        'Lightpanda',
        'HtmlUnit',
        'Cypress/',
        'wkhtmlto*',
        'CasperJS',
      ],
    },
  },
  {
    operator: null,
    source: null,
    tokens: {
      'http-library': [
        'python-httpx',
        'python-urllib3',
        'tornado',
        'go-resty',
        'quic-go',
        'Mojolicious',
        'nghttp3',
        'fasthttp',
        'Dalvik',
        'ktor-client',
        'Ktor http-client',
        '^Java/',
        'Java-http-client',
        'Apache-HttpAsyncClient',
        'Jakarta Commons-HttpClient',
        'Jersey/',
        'ReactorNetty',
        'akka-http',
        '^Dart/',
        'undici',
        'ai-sdk/',
        '^node$',
        '^Node.js/',
        '^Bun/',
        '^Deno/',
        'superagent',
        'reqwest',
        '^hyper/',
        '^ureq/',
        'HTTP-Tiny',
        'WWW-Mechanize',
        'GuzzleHttp',
        'Symfony HttpClient',
        '^PHP/',
        '^Ruby$',
        'Faraday',
        'rest-client',
        'http.rb',
        'Typhoeus',
        'RestSharp',
        '^Bruno',
        'insomnium/',
        'REST Client for VSCode',
        'bruno-runtime',
        'vscode-restclient',
        'IntelliJ HTTP Client',
        'Hoppscotch',
        'Thunder Client',
        '^Paw/',
        '^RapidAPI/',
        'SoapUI',
        '^Kreya/',
        'httpYac',
        'kulala.nvim',
        '^Yaak',
        '^R (',
        '^R/',
        '^RStudio',
        'httr2',
        '^Julia/',
        'Pkg.jl',
        'niquests',
        'httplib2',
        'pycurl',
        'PHP-SOAP',
        'LuaSocket',
        'lua-resty-http',
        'AsyncHTTPClient',
        'URL/Emacs',
        'Boost.Beast',
        '^Zig/',
        'Nim httpclient',
        '^Racket/',
        'ocaml-cohttp',
        '^MATLAB',
        '^Octave/',
        '^Wolfram',
        '^UnityPlayer/',
        'UnrealEngine',
        'GodotEngine',
        '^needle/',
        'Embarcadero URI Client',
        'QNetworkAccessManager',
        'LWP::Simple',
        '^Refit/',
        '^http-client/',
        '^Google-HTTP-Java-Client',
        '^Lua-cURL/',
        '^neon/',
        '^POCO/',
        'URLSession',
        '^erlang/',
        '^Finch/',
        '^Crystal',
        'std.net.curl',
        'HTTP_Request2',
        'perlclient',
        'Go 1.1 package http',
        '^Guzzle/',
        'PostmanRuntime',
        'insomnia/',
        'Alamofire',
        'libcurl',
        '^cpp-httplib',
        'libsoup',
        '^hackney/',
        '^req/',
        'http-kit',
        'ExoPlayer*',
        'grpc-*',
        'google-api-*',
        'unirest-java',
        'libdnf',
        'Apache-CXF',
        'Zend_Http_Client',
        'HTTP.jl',
        '^ky',
        'curl_cffi',
      ],
    },
  },
  {
    operator: null,
    source: null,
    tokens: {
      cli: [
        '^curl',
        '^nghttp2/',
        'h2load',
        'gnutls-cli',
        'Wget',
        'Wget2',
        'HTTPie',
        '^xh/',
        'aria2',
        'k6/',
        '^git/',
        'git-lfs',
        '^Lynx/',
        'ELinks',
        '^Links (',
        '^w3m/',
        '^Emacs-w3m/',
        'lftp',
        '^npm/',
        '^pnpm/',
        '^yarn/',
        '^pip/',
        '^uv/',
        '^cargo',
        '^Composer/',
        '^NuGet',
        'pip-tools/',
        'Linuxbrew',
        'apt-cacher-ng',
        'libdnf5',
        'PackageKit/',
        '^zypper/',
        'google-cloud-sdk',
        '^gcloud/',
        'AZURECLI',
        '^poetry/',
        '^pdm/',
        '^pipenv/',
        '^hatch/',
        '^conda/',
        '^mamba/',
        '^micromamba/',
        '^pixi/',
        '^twine/',
        '^rustup/',
        '^go/',
        'Apache-Maven',
        '^Gradle',
        '^Bazel/',
        '^sbt/',
        'Coursier/',
        'Apache Ivy',
        'Leiningen/',
        '^Mill/',
        '^gem/',
        'RubyGems/',
        '^bundler/',
        'CocoaPods/',
        'SwiftPackageManager',
        'Carthage/',
        'Dart pub',
        '^mix/',
        '^Hex/',
        '^rebar3/',
        '^opam/',
        '^cabal-install/',
        '^stack/',
        'CPANPLUS',
        'cpanminus/',
        '^luarocks/',
        '^Nix/',
        '^guix/',
        '^conan/',
        '^vcpkg/',
        'winget-cli',
        '^chocolatey',
        '^Scoop/',
        '^snapd/',
        '^flatpak/',
        'Docker-Client/',
        '^containers/',
        '^Buildah/',
        '^skopeo/',
        '^podman/',
        '^buildkit/',
        '^OpenTofu/',
        '^Pulumi/',
        'ansible-httpget',
        '^Ansible/',
        '^JGit/',
        '^GitHub CLI',
        '^gh/',
        '^glab/',
        '^SVN/',
        '^mercurial/',
        '^yum/',
        'urlgrabber',
        '^dnf/',
        '^ZYpp',
        '^pacman/',
        'apk-tools/',
        '^opkg/',
        '^rclone/',
        '^restic/',
        '^bower/',
        '^lerna/',
        '^VSCode',
        '^JetBrains',
        '^Emacs/',
        '^GNU Emacs',
        '^Buildr/',
        '^neovim/',
        '^Vim/',
        '^Jupyter',
        '^mpv',
        '^Streamlink/',
        '^flutter/',
        '^Eclipse/',
        'APT-HTTP',
        'Homebrew',
        '^docker/',
        '^containerd/',
        '^Helm/',
        'yt-dlp',
        'youtube-dl',
        'ApacheBench',
        'SIEGE',
        'JMeter',
        '^hey/',
        '^oha/',
        '^hurl/',
        'VLC/',
        'Lavf/',
        'HTTrack',
        '^wrk/',
        '^vegeta',
        '^grpcurl/',
        '^axel',
        '^websocat',
        'libfetch',
      ],
    },
  },
  {
    operator: 'Ahrefs',
    source: 'https://ahrefs.com/robot',
    tokens: {
      bot: ['AhrefsBot', 'AhrefsSiteAudit'],
    },
  },
  {
    operator: 'Semrush',
    source: 'https://www.semrush.com/bot/',
    tokens: {
      bot: ['SemrushBot', 'SiteAuditBot'],
    },
  },
  {
    operator: 'Majestic',
    source: 'https://mj12bot.com',
    tokens: {
      bot: ['MJ12bot'],
    },
  },
  {
    operator: 'Moz',
    source: 'https://moz.com/help/moz-procedures/crawlers/dotbot',
    tokens: {
      bot: ['DotBot', 'rogerbot'],
    },
  },
  {
    operator: 'DataForSEO',
    source: 'https://dataforseo.com/dataforseo-bot',
    tokens: {
      bot: ['DataForSeoBot'],
    },
  },
  {
    operator: 'WebMeUp',
    source: 'http://webmeup-crawler.com',
    tokens: {
      bot: ['BLEXBot'],
    },
  },
  {
    operator: 'Babbar',
    source: 'https://babbar.tech/crawler',
    tokens: {
      bot: ['Barkrowler'],
    },
  },
  {
    operator: 'Screaming Frog',
    source: 'https://www.screamingfrog.co.uk/seo-spider/',
    tokens: {
      bot: ['Screaming Frog SEO Spider'],
    },
  },
  {
    operator: 'Serpstat',
    source: 'https://serpstatbot.com',
    tokens: {
      bot: ['serpstatbot'],
    },
  },
  {
    operator: 'Internet Archive',
    source: 'https://archive.org/details/archive.org_bot',
    tokens: {
      bot: ['archive.org_bot', 'ia_archiver'],
    },
  },
  {
    operator: 'W3C',
    source: 'https://validator.w3.org/services',
    tokens: {
      bot: ['W3C_Validator'],
    },
  },
  {
    operator: 'Automattic',
    source: 'https://wordpress.org',
    tokens: {
      bot: ['^WordPress/'],
    },
  },
  {
    operator: 'Feedly',
    source: 'https://www.feedly.com/fetcher.html',
    tokens: {
      bot: ['^Feedly', 'FeedlyBot', '^FeedlyApp'],
    },
  },
  {
    operator: 'Feedbin',
    source: 'https://feedbin.com',
    tokens: {
      bot: ['^Feedbin'],
    },
  },
  {
    operator: 'Inoreader',
    source: 'https://www.inoreader.com',
    tokens: {
      bot: ['^Inoreader/', 'compatible; Inoreader'],
    },
  },
  {
    operator: 'NewsBlur',
    source: 'https://newsblur.com',
    tokens: {
      bot: ['^NewsBlur'],
    },
  },
  {
    operator: 'Adbeat',
    source: 'https://adbeat.com/policy',
    tokens: { bot: ['adbeat.com/policy'] },
  },
  {
    operator: 'Hotjar',
    source: 'https://help.hotjar.com',
    tokens: { bot: ['Hotjar Version'] },
  },
  {
    operator: 'Censys',
    source: 'https://support.censys.io',
    tokens: {
      bot: ['CensysInspect'],
    },
  },
  {
    operator: 'Palo Alto Networks',
    source: 'https://docs-cortex.paloaltonetworks.com/r/1/Cortex-Xpanse/Scanning-activity',
    tokens: {
      bot: ['Hello from Palo Alto Networks', '^Expanse'],
    },
  },
  {
    operator: 'ZMap',
    source: 'https://zmap.io',
    tokens: {
      bot: ['zgrab'],
    },
  },
  {
    operator: 'Nmap',
    source: 'https://nmap.org/book/nse.html',
    tokens: {
      bot: ['Nmap Scripting Engine'],
    },
  },
  {
    operator: 'ProjectDiscovery',
    source: 'https://github.com/projectdiscovery/nuclei',
    tokens: {
      bot: ['Nuclei'],
    },
  },
  {
    operator: 'sqlmap',
    source: 'https://sqlmap.org',
    tokens: {
      bot: ['sqlmap'],
    },
  },
  {
    operator: 'Stripe',
    source: 'https://docs.stripe.com/webhooks',
    tokens: {
      bot: ['^Stripe/'],
    },
  },
  {
    operator: "Let's Encrypt",
    source: 'https://letsencrypt.org/docs/',
    tokens: {
      bot: ["Let's Encrypt validation server"],
    },
  },
  {
    operator: 'Twilio',
    source: 'https://www.twilio.com/docs',
    tokens: {
      bot: ['TwilioProxy'],
    },
  },
  {
    operator: 'Spotify',
    source: null,
    tokens: {
      bot: ['^Spotify/1.0$'],
    },
  },
  {
    operator: 'PayPal',
    source: 'https://developer.paypal.com/api/nvp-soap/ipn/',
    tokens: {
      bot: ['^PayPal/'],
    },
  },
  {
    operator: 'Grammarly',
    source: null,
    tokens: {
      bot: ['^Grammarly/'],
    },
  },
  {
    operator: 'Notion',
    source: null,
    tokens: {
      'social-preview': ['^Notion/'],
    },
  },
  {
    operator: 'Zoominfo',
    source: 'https://www.zoominfo.com/about-zoominfo/privacy-center',
    tokens: {
      bot: ['ZoominfoBot'],
    },
  },
];

/** Domains of operators, whose pages their bots link: for a bot that is not in the table, or has the name of another operator's. */
export const operatorOfDomain: ReadonlyMap<string, string> = new Map([
  ['openai.com', 'OpenAI'],
  ['anthropic.com', 'Anthropic'],
  ['claude.ai', 'Anthropic'],
  ['perplexity.ai', 'Perplexity'],
  ['google.com', 'Google'],
  ['facebook.com', 'Meta'],
  ['meta.com', 'Meta'],
  ['amazon.com', 'Amazon'],
  ['bytedance.com', 'ByteDance'],
  ['commoncrawl.org', 'Common Crawl'],
  ['mistral.ai', 'Mistral AI'],
  ['cohere.com', 'Cohere'],
  ['deepseek.com', 'DeepSeek'],
  ['moonshot.cn', 'Moonshot AI'],
  ['x.ai', 'xAI'],
  ['you.com', 'You.com'],
  ['diffbot.com', 'Diffbot'],
  ['allenai.org', 'Ai2'],
  ['exa.ai', 'Exa'],
  ['cloudflare.com', 'Cloudflare'],
  ['duckduckgo.com', 'DuckDuckGo'],
  ['kagi.com', 'Kagi'],
  ['apify.com', 'Apify'],
  ['atlassian.com', 'Atlassian'],
  ['bing.com', 'Microsoft'],
  ['microsoft.com', 'Microsoft'],
  ['yandex.com', 'Yandex'],
  ['yandex.ru', 'Yandex'],
  ['baidu.com', 'Baidu'],
  ['sogou.com', 'Sogou'],
  ['naver.com', 'Naver'],
  ['naver.me', 'Naver'],
  ['seznam.cz', 'Seznam'],
  ['qwant.com', 'Qwant'],
  ['brave.com', 'Brave'],
  ['mojeek.com', 'Mojeek'],
  ['apple.com', 'Apple'],
  ['yahoo.com', 'Yahoo'],
  ['coccoc.com', 'Cốc Cốc'],
  ['petalsearch.com', 'Huawei'],
  ['x.com', 'X'],
  ['twitter.com', 'X'],
  ['slack.com', 'Slack'],
  ['discordapp.com', 'Discord'],
  ['discord.com', 'Discord'],
  ['telegram.org', 'Telegram'],
  ['linkedin.com', 'LinkedIn'],
  ['pinterest.com', 'Pinterest'],
  ['datadoghq.com', 'Datadog'],
  ['betterstack.com', 'Better Stack'],
  ['uptimerobot.com', 'UptimeRobot'],
  ['ahrefs.com', 'Ahrefs'],
  ['semrush.com', 'Semrush'],
  ['majestic12.co.uk', 'Majestic'],
  ['moz.com', 'Moz'],
  ['dataforseo.com', 'DataForSEO'],
  ['w3.org', 'W3C'],
  ['feedly.com', 'Feedly'],
  ['inoreader.com', 'Inoreader'],
  ['censys.io', 'Censys'],
  ['stripe.com', 'Stripe'],
  ['claude.com', 'Anthropic'],
  ['webz.io', 'Webz.io'],
  ['timpi.io', 'Timpi'],
  ['imagesift.com', 'Hive'],
  ['firecrawl.dev', 'Firecrawl'],
  ['tavily.com', 'Tavily'],
  ['linkup.so', 'Linkup'],
  ['sbintuitions.co.jp', 'SB Intuitions'],
  ['parallel.ai', 'Parallel'],
  ['brightdata.com', 'Bright Data'],
  ['devin.ai', 'Cognition'],
  ['cursor.com', 'Anysphere'],
  ['opencode.ai', 'SST'],
  ['getliner.com', 'Liner'],
  ['laion.ai', 'LAION'],
  ['tabstack.ai', 'Mozilla'],
  ['klaviyo.com', 'Klaviyo'],
  ['andisearch.com', 'Andi'],
  ['iask.ai', 'iAsk'],
  ['direqt.ai', 'Direqt'],
  ['crawlspace.dev', 'Crawlspace'],
  ['echobox.com', 'Echobox'],
  ['factset.com', 'FactSet'],
  ['panscient.com', 'Panscient'],
  ['qualified.com', 'Qualified'],
  ['quillbot.com', 'QuillBot'],
  ['sidetrade.com', 'Sidetrade'],
  ['velen.io', 'Velen'],
  ['meltwater.com', 'Meltwater'],
  ['addsearch.com', 'AddSearch'],
  ['aihitdata.com', 'aiHit'],
  ['linguee.com', 'Linguee'],
  ['valyu.ai', 'Valyu'],
  ['daum.net', 'Kakao'],
  ['seekport.com', 'Seekport'],
  ['iframely.com', 'Iframely'],
  ['flipboard.com', 'Flipboard'],
  ['pingdom.com', 'SolarWinds'],
  ['statuscake.com', 'StatusCake'],
  ['site24x7.com', 'Site24x7'],
  ['newrelic.com', 'New Relic'],
  ['checklyhq.com', 'Checkly'],
  ['hetrixtools.com', 'HetrixTools'],
  ['gtmetrix.com', 'GTmetrix'],
  ['thousandeyes.com', 'Cisco'],
  ['dynatrace.com', 'Dynatrace'],
  ['ohdear.app', 'Oh Dear'],
  ['nodeping.com', 'NodePing'],
  ['updown.io', 'updown.io'],
  ['sentry.io', 'Sentry'],
  ['mj12bot.com', 'Majestic'],
  ['babbar.tech', 'Babbar'],
  ['screamingfrog.co.uk', 'Screaming Frog'],
  ['serpstatbot.com', 'Serpstat'],
  ['feedbin.com', 'Feedbin'],
  ['newsblur.com', 'NewsBlur'],
  ['paloaltonetworks.com', 'Palo Alto Networks'],
  ['zoominfo.com', 'Zoominfo'],
]);

/** Hosts of these domains whose pages are of their users and customers. */
export const hostsOfUsers =
  /^(?:sites|groups|docs|drive|plus|play|code|apps|itunes|podcasts|web|profiles?|groups?|blogs?|pages)\./;

/**
 * Hosts of key directories and their operators, from https://help.openai.com/en/articles/11845367-chatgpt-agent-allowlisting,
 * https://developers.google.com/search/docs/crawling-indexing/google-user-triggered-fetchers, https://www.hyperbrowser.ai/docs/sessions/web-bot-auth
 * and https://help.shopify.com (crawler access, by which merchants' tools sign). Last updated: 2026-11-21.
 */
export const signers: ReadonlyMap<string, Bot> = new Map([
  ['chatgpt.com', { name: 'ChatGPT agent', kind: 'ai-assistant', operator: 'OpenAI' }],
  ['agent.bot.goog', { name: 'Google-Agent', kind: 'ai-assistant', operator: 'Google' }],
  ['www.hyperbrowser.ai', { name: 'Hyperbrowser', kind: 'ai-assistant', operator: 'Hyperbrowser' }],
  ['shopify.com', { name: 'Shopify crawler access', kind: 'bot', operator: 'Shopify' }],
]);
