"""Checks HTML reports with the Nu Html Checker, and in Chromium with axe-core.

Usage: pages.py REPORTS TOOLS PICTURES      Scripts/check-reports.sh --web calls it

At 320 and 1280 pixels, light and dark, with all parts open and all closed: no violation of WCAG 2.2 AA or of axe's best practices, and
no horizontal scrolling. Without scripts and requests: the page is opened with scripts off, too, and asks for nothing but itself. The skip link
is the first stop of the keyboard. Prints have all findings and changes. PICTURES gets screenshots for people to look at.
"""

import base64
import json
import re
import subprocess
import sys
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys

folder, tools, pictures = (Path(argument) for argument in sys.argv[1:])
pictures.mkdir(parents=True, exist_ok=True)
axe = (tools / "axe.min.js").read_text()
problems = []
# The checker is of 2020, and doesn't know these parts of CSS.
NEW_CSS = re.compile("text-underline-offset|text-decoration-thickness|details-content")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def expect(condition, what):
    if not condition:
        problems.append(what)


def check_html(pages):
    checker = ["java", "-jar", tools / "vnu.jar"]
    output = subprocess.run([*checker, "--format", "json", *pages], capture_output=True, text=True).stderr
    for message in json.loads(output)["messages"]:
        if message["type"] != "info" and not NEW_CSS.search(message["message"]):
            problems.append(f"{message.get('url', '')}:{message.get('lastLine')}: {message['message']}")
    return subprocess.run([*checker, "--version"], capture_output=True, text=True).stdout.strip()


def browser(width, scheme, scripts=True):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL"})
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    resize(driver, width, 900)
    return driver


def resize(driver, width, height):
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def take_picture(driver, width, name):
    height = driver.execute_script("return document.documentElement.scrollHeight")
    resize(driver, width, min(height, 3000))
    picture = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
    (pictures / name).write_bytes(base64.b64decode(picture))
    resize(driver, width, 900)


def requests(driver):
    events = (json.loads(entry["message"])["message"] for entry in driver.get_log("performance"))
    return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]


def check_in_browser(page, width, scheme):
    where = f"{page.name} at {width} px, {scheme}"
    driver = browser(width, scheme)
    try:
        driver.get(page.resolve().as_uri())
        asked = [url for url in requests(driver) if not url.startswith(("data:", "chrome:"))]
        expect(asked == [page.resolve().as_uri()], f"{where}: requests {asked}")
        take_picture(driver, width, f"{page.stem}-{width}-{scheme}.png")
        driver.switch_to.active_element.send_keys(Keys.TAB)
        expect(driver.switch_to.active_element.get_attribute("class") == "skip", f"{where}: the skip link comes first")
        for is_open in (False, True):
            driver.execute_script(f"for (const e of document.querySelectorAll('details')) e.open = {str(is_open).lower()}")
            overflow = driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
            expect(overflow <= 0, f"{where}: {overflow} px too wide")
            driver.execute_script(axe)
            run = "const done = arguments[1]; axe.run(document, {runOnly: arguments[0]}).then(done)"
            result = driver.execute_async_script(run, RULES)
            for violation in result["violations"]:
                problems.append(f"{where}: {violation['id']}: {violation['nodes'][0]['html'][:200]}")
        return result["testEngine"]["version"], driver.capabilities["browserVersion"]
    finally:
        driver.quit()


def check_print(page):
    driver = browser(800, "light")
    try:
        driver.get(page.resolve().as_uri())
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
        driver.execute_script("for (const e of document.querySelectorAll('details')) e.open = false")
        hidden = driver.execute_script("return [...document.querySelectorAll('.rule li, .changes tr, .changes li')].filter(e => !e.checkVisibility()).length")
        expect(hidden == 0, f"{page.name}: {hidden} findings or changes are not printed")
        take_picture(driver, 800, f"{page.stem}-print.png")
    finally:
        driver.quit()


def check_without_scripts(page):
    driver = browser(1280, "light", scripts=False)
    try:
        driver.get(page.resolve().as_uri())
        summary = driver.find_elements("css selector", "details:not([open]) > summary")
        if summary:
            summary[0].send_keys(Keys.ENTER)
            opened = driver.find_elements("css selector", "details[open]")
            expect(opened, f"{page.name}: the keyboard opens a part without scripts")
    finally:
        driver.quit()


def try_faults():
    """Breaks copies of pages, one fault each, which must be found."""
    faults = [
        ("mixed", "--soft: #575d66", "--soft: #9a9fa6"),
        ("mixed", "<h1>", '<h1 style="width: 2000px">'),
        ("mixed", 'lang="en"', ""),
        ("mixed", '<a class="skip" href="#content">', '<a class="skip" tabindex="-1" href="#content">'),
        ("mixed", "default-src 'none'; style-src 'unsafe-inline'\">", "style-src file: 'unsafe-inline'\"><link rel=\"stylesheet\" href=\"missing.css\">"),
        ("difference", '<th scope="col">Old</th>', '<th scope="col"></th>'),
        ("difference", "table-layout: fixed;", "width: 2000px;"),
        ("inspections", 'aria-labelledby="f2.name f2.collections"', 'aria-labelledby="f1.name f1.collections"'),
    ]
    missed = []
    for name, old, new in faults:
        copy = pictures / "fault.html"
        text = (folder / f"{name}.html").read_text()
        copy.write_text(text.replace(old, new, 1))
        problems.clear()
        check_in_browser(copy, 320, "light")
        if old not in text or not problems:
            missed.append(f"no check finds {old} replaced by {new}")
        for file in pictures.glob("fault*"):
            file.unlink()
    return missed, len(faults)


pages = sorted(folder.glob("*.html"))
checker = check_html(pages)
for page in pages:
    for width in (320, 1280):
        for scheme in ("light", "dark"):
            engine, chromium = check_in_browser(page, width, scheme)
    check_print(page)
    check_without_scripts(page)
print(f"with Nu Html Checker {checker}, axe-core {engine}, Chromium {chromium}")
print(f"  {len(pages)} pages; pictures in {pictures}")
found = list(problems)
missed, fault_count = try_faults()
found += missed
print(f"  {fault_count} faults were planted")
for problem in found[:50]:
    print(f"FAILED {problem}", file=sys.stderr)
sys.exit(1 if found else 0)
