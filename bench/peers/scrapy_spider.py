"""The crawl benchmark's Scrapy peer: follows every link to the given hosts and appends each body to one file."""
import sys

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import TextResponse
from scrapy.linkextractors.lxmlhtml import LxmlLinkExtractor

max_pages, concurrency, body_file = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
seeds = sys.argv[4:]
prefixes = tuple(seeds)
bodies = open(body_file, "wb", buffering=1 << 20)


class BenchSpider(Spider):
    name = "bench"
    start_urls = seeds
    links = LxmlLinkExtractor(
        tags=("a", "area", "link", "img", "script", "iframe", "frame"), attrs=("href", "src"), deny_extensions=[]
    )

    def parse(self, response):
        bodies.write(response.body)
        if isinstance(response, TextResponse):
            for link in self.links.extract_links(response):
                if link.url.startswith(prefixes):
                    yield Request(link.url)


process = CrawlerProcess(
    {
        "LOG_LEVEL": "ERROR",
        "ROBOTSTXT_OBEY": False,
        "TELNETCONSOLE_ENABLED": False,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        "RANDOMIZE_DOWNLOAD_DELAY": False,
        "CONCURRENT_REQUESTS": concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
        "CLOSESPIDER_PAGECOUNT": max_pages,
    }
)
process.crawl(BenchSpider)
process.start()
bodies.close()
