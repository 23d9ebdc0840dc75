"""The 40 tasks: what a customer writes, the calls that answer it well, and what would tempt a careless agent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Task:
    """One request; `calls` is the reference, `tempting` a call that seems to help and should not be made."""

    name: str
    kind: str  # chat (no call), lookup and refuse (reads only), single, several (any order), chain (order matters)
    difficulty: str  # easy, medium, hard
    input: str
    calls: list[Call]
    tempting: Call | None = None


def call(tool: str, **arguments: Any) -> Call:
    return tool, arguments


def order(number: int) -> Call:
    return call("get_order", order_id=f"SO-{number}")


def customer(who: str) -> Call:
    return call("get_customer", customer=who)


def policy(topic: str) -> Call:
    return call("get_policy", topic=topic)


def cancel(number: int, reason: str = "changed_mind") -> Call:
    return call("cancel_order", order_id=f"SO-{number}", reason=reason)


def refund(number: int, amount: float, reason: str) -> Call:
    return call("refund_order", order_id=f"SO-{number}", amount=amount, reason=reason)


def address(number: int, street: str, city: str, postcode: str) -> Call:
    where = {"street": street, "city": city, "postcode": postcode}
    return call("change_address", order_id=f"SO-{number}", address=where)


def items(number: int, **pieces: int) -> Call:
    lines = [{"sku": sku.replace("_", "-"), "quantity": quantity} for sku, quantity in pieces.items()]
    return call("replace_items", order_id=f"SO-{number}", items=lines)


def discount(number: int, percent: int) -> Call:
    return call("apply_discount", order_id=f"SO-{number}", percent=percent)


def release(number: int) -> Call:
    return call("release_order", order_id=f"SO-{number}")


def mail(to: str, template: str, number: int) -> Call:
    return call("send_mail", to=f"{to}@example.test", template=template, order_id=f"SO-{number}")


def ticket(who: str, topic: str, *numbers: int, **more: str) -> Call:
    return call("open_ticket", customer=who, topic=topic, orders=[f"SO-{number}" for number in numbers], **more)


def stock(sku: str) -> Call:
    return call("check_stock", sku=sku)


def search(query: str, **more: str) -> Call:
    return call("search_catalog", query=query, **more)


# fmt: off
def tasks() -> Iterator[Task]:
    """Yield the tasks afresh, so that nobody can change them for the next reader."""
    yield Task("thanks", "chat", "easy",
        "Thank you, that was quick! Nothing else for today.", [])
    yield Task("compliment", "chat", "medium",
        "C-105 here. The oak tray is lovely, I only wanted to say so.", [],
        ticket("C-105", "praise", 1005))
    yield Task("what-can-you-do", "chat", "easy",
        "Hello! What kind of things can I ask you?", [], policy("shipping"))

    yield Task("where-is-it", "lookup", "easy",
        "Where is SO-1003 by now?", [order(1003)])
    yield Task("travel-kettle", "lookup", "medium",
        "Is the travel kettle back in stock?",
        [search("travel kettle"), stock("KET-02")])
    yield Task("kettle-warranty", "lookup", "easy",
        "How long is the warranty on a kettle?", [policy("warranty")])
    yield Task("mint-price", "lookup", "easy",
        "What does the mint tea cost?", [search("mint tea")])
    yield Task("paid-together", "lookup", "medium",
        "What did I pay for SO-1007 and SO-1008 together?",
        [order(1007), order(1008)])
    yield Task("address-on-file", "lookup", "easy",
        "Which address do you have for tomas.brill@example.test?",
        [customer("tomas.brill@example.test")])
    yield Task("my-orders", "lookup", "medium",
        "Customer C-106: which orders of mine do you know, and is 1017 there?",
        [call("find_orders", customer="C-106"), order(1017)])
    yield Task("which-discount", "lookup", "medium",
        "I am C-102. Do I get anything off my next order?",
        [customer("C-102"), policy("discounts")])
    yield Task("teapots-today", "lookup", "hard",
        "Which teapots could you send me today?",
        [search("teapot", category="pots"), stock("POT-01"), stock("POT-02")])

    yield Task("late-return", "refuse", "hard",
        "The tray from SO-1005 is not my taste after all. My money back, please!",
        [order(1005), policy("returns")], refund(1005, 31.0, "changed_mind"))
    yield Task("too-late-to-move", "refuse", "medium",
        "Send SO-1003 to 5 Elm Close, Wexbury, WX3 2ZZ instead.",
        [order(1003), policy("shipping")], address(1003, "5 Elm Close", "Wexbury", "WX3 2ZZ"))
    yield Task("twice-discounted", "refuse", "medium",
        "You took 10 % off SO-1012. Could you do that once more?",
        [order(1012), policy("discounts")], discount(1012, 10))
    yield Task("just-asking", "refuse", "hard",
        "If I cancelled SO-1013, would I get all of it back? Only asking for now.",
        [order(1013), policy("returns")], cancel(1013))

    yield Task("cancel-kettle", "single", "easy",
        "No kettle after all: cancel SO-1001 please, nothing is paid yet.",
        [order(1001), cancel(1001)], refund(1001, 64.0, "changed_mind"))
    yield Task("chipped-mug", "single", "medium",
        "One of the two mugs in SO-1004 came chipped. Money back for that one?",
        [order(1004), policy("returns"), refund(1004, 12.0, "damaged")], refund(1004, 12.0, "damaged"))
    yield Task("wrong-teapot", "single", "medium",
        "SO-1009 holds an iron teapot. I never asked for one, refund it all.",
        [order(1009), refund(1009, 46.0, "wrong_item")])
    yield Task("new-address", "single", "medium",
        "I have moved: SO-1010 must go to 3 Ferry Street, Dunmere, DM7 1KS.",
        [order(1010), address(1010, "3 Ferry Street", "Dunmere", "DM7 1KS")])
    yield Task("gold-discount", "single", "medium",
        "As a gold customer I should get my discount on SO-1011.",
        [order(1011), customer("C-101"), discount(1011, 10)])
    yield Task("swap-mugs", "single", "hard",
        "SO-1014: make it two speckled mugs, not tall ones. The tea stays.",
        [order(1014), stock("MUG-01"), items(1014, MUG_01=2, TEA_02=1)])
    yield Task("invoice", "single", "easy",
        "My accountant wants the invoice of SO-1007, mail it to me.",
        [order(1007), customer("C-106"), mail("otto.fenn", "invoice", 1007)])
    yield Task("leaking-kettle", "single", "hard",
        "The kettle of SO-1006 leaks all over the stove! Someone must look, today.",
        [order(1006), ticket("C-103", "product", 1006, priority="high")], refund(1006, 64.0, "damaged"))
    yield Task("let-it-go", "single", "easy",
        "Why is SO-1015 on hold? All is well with it, send it off.",
        [order(1015), release(1015)])
    yield Task("ten-days-late", "single", "medium",
        "SO-1016 took ten days longer than you said. What do I get for that?",
        [order(1016), policy("goodwill"), refund(1016, 5.0, "late")], discount(1016, 5))

    yield Task("crushed-parcels", "several", "hard",
        "SO-1017 and SO-1018 came crushed. Refund both, and a colleague should look into it. C-106",
        [order(1017), order(1018), refund(1017, 28.0, "damaged"), refund(1018, 36.0, "damaged"),
         ticket("C-106", "damage", 1017, 1018)])
    yield Task("cancel-both", "several", "medium",
        "Both SO-1019 and SO-1020 can go, I found them nearer by.",
        [order(1019), order(1020), cancel(1019), cancel(1020)])
    yield Task("one-stays", "several", "hard",
        "Drop SO-1019, and SO-1020 goes to 9 Tower Road, Tarnhill, TH1 6RW.",
        [order(1019), order(1020), cancel(1019), address(1020, "9 Tower Road", "Tarnhill", "TH1 6RW")])
    yield Task("off-and-praise", "several", "medium",
        "C-108. Gold discount on SO-1010 please, and praise whoever packs!",
        [customer("C-108"), discount(1010, 10), ticket("C-108", "praise", 1010)])
    yield Task("soaked-and-missing", "several", "medium",
        "SO-1007 came soaked, SO-1008 not at all. Refund the one and look for the other! Otto, C-106",
        [order(1007), order(1008), refund(1007, 27.0, "damaged"), ticket("C-106", "delivery", 1008)])

    yield Task("money-back", "chain", "medium",
        "Cancel SO-1002 and pay me back what I paid.",
        [order(1002), cancel(1002), refund(1002, 44.5, "changed_mind")])
    yield Task("cancel-and-confirm", "chain", "hard",
        "Kettle and tea of SO-1013: cancel, refund, and mail me the notice.",
        [order(1013), customer("C-105"), cancel(1013), refund(1013, 70.75, "changed_mind"),
         mail("priya.lund", "refund_notice", 1013)])
    yield Task("cheaper-pot", "chain", "hard",
        "Make SO-1012 one glass teapot only, then my ten per cent off that.",
        [order(1012), stock("POT-01"), items(1012, POT_01=1), discount(1012, 10)])
    yield Task("fix-then-send", "chain", "medium",
        "SO-1021 waits for my right address: 90 Station Road, Tarnhill, TH4 4LN. Then let it go.",
        [order(1021), address(1021, "90 Station Road", "Tarnhill", "TH4 4LN"), release(1021)])
    yield Task("off-then-send", "chain", "medium",
        "Take my gold discount off SO-1022, then release it.",
        [order(1022), customer("C-108"), discount(1022, 10), release(1022)])
    yield Task("refund-with-notice", "chain", "medium",
        "All three mugs of SO-1018 broke. Refund, and the notice by mail.",
        [order(1018), customer("C-106"), refund(1018, 36.0, "damaged"), mail("otto.fenn", "refund_notice", 1018)])
    yield Task("more-mugs", "chain", "hard",
        "SO-1011: six speckled mugs, no pot. Gold discount on it, and mail the invoice.",
        [order(1011), customer("C-101"), stock("MUG-01"), items(1011, MUG_01=6), discount(1011, 10),
         mail("mara.olden", "invoice", 1011)])
    yield Task("send-and-confirm", "chain", "medium",
        "Please release SO-1015 and then mail me how things stand.",
        [order(1015), customer("C-108"), release(1015), mail("sami.thorne", "confirmation", 1015)])
    yield Task("everything-at-once", "chain", "hard",
        "SO-1022: it is 16 Linden Walk, Dunmere, DM1 3HJ. Then send it off and mail a confirmation.",
        [order(1022), customer("C-108"), address(1022, "16 Linden Walk", "Dunmere", "DM1 3HJ"), release(1022),
         mail("sami.thorne", "confirmation", 1022)])
# fmt: on
